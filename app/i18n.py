"""Every word of the interface comes from here: `t("sidebar.sentence")`. A missing key or value is an error."""

from __future__ import annotations

from typing import Any

import app.state as state
from app.languages import LANGUAGES, locale
from components.phrase import fill
from models.errors import InputError

LONGEST_TEXT = 400  # characters of a value in an error's sentence
LONGEST_NUMBER = 200  # bits

__all__ = ["LANGUAGES", "error_text", "t", "table", "words"]


def t(key: str, **values: object) -> str:
    """The text of a dotted key in the session's language, its {places} filled with `values` (see `fill`).

    Raises KeyError if the key does not exist, names a table, or a place has no value: a page never shows a bare key.
    """
    text = _look_up(state.language(), key)
    if not isinstance(text, str):
        raise KeyError(f"{key} is a table, not a text")
    return fill(text, values)


def table(name: str) -> dict[str, Any]:
    """A whole table, for a component that gets its words as data (places are filled there)."""
    found = _look_up(state.language(), name)
    if not isinstance(found, dict):
        raise KeyError(f"{name} is a text, not a table")
    return found


def words(component: str, **more: str) -> dict[str, str]:
    """The words of a component (a table of `components`), with those that depend on where it stands."""
    return {**table("components")[component], **more}


def error_text(error: InputError) -> str:
    """What the user can do about it, in the user's language (table `errors`)."""
    return t(f"errors.{error.key}", **{name: _fit(value) for name, value in error.values.items()})


def _fit(value: object) -> object:
    """What comes from a user's file may be of any length, and have halves of surrogate pairs, which cannot be sent."""
    if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
        return str(value)[:LONGEST_TEXT] + "…"
    if not isinstance(value, str):
        return value
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def _look_up(language: str, key: str) -> object:
    found: object = locale(language)
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            raise KeyError(f"no text for {key!r} in {language}.toml")
        found = found[part]
    return found
