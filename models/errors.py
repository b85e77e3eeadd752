"""What the user can have got wrong, in a form that the app can say in the user's language."""

from __future__ import annotations


class InputError(ValueError):
    """Input that cannot be used as it is.

    `key` names the sentence in the locale files (table `errors`), `values` fill its places; `message` is the same
    sentence in English, for notebooks. It says what was expected, what was received and what to do.
    """

    def __init__(self, key: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.key = key
        self.values = values
