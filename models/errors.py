"""What the user can have got wrong, in a form that the app can say in the user's language."""

from __future__ import annotations

from collections.abc import Sequence


class InputError(ValueError):
    """Input that cannot be used as it is.

    `key` names the sentence in the locale files (table `errors`), `values` fill its places; `message` is the same
    sentence in English, for notebooks. It says what was expected, what was received and what to do.
    """

    def __init__(self, key: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.key = key
        self.values = values


def out_of_range(name: str, value: object, low: float, high: float) -> InputError:
    """A number that must lie from `low` to `high`."""
    return InputError(
        "out_of_range",
        f"{name}: a number from {low} to {high} was expected, received {value}. Choose one in this range.",
        name=name,
        value=value,
        low=low,
        high=high,
    )


def unknown_choice(name: str, value: object, allowed: Sequence[str]) -> InputError:
    """A word that must be one of `allowed`."""
    choices = ", ".join(allowed)
    return InputError(
        "unknown_choice",
        f"{name}: one of {choices} was expected, received {value!r}. Choose one of these.",
        name=name,
        allowed=choices,
        value=value,
    )
