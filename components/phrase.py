"""Sentences with places that are filled in; `fillTemplate` in frontend/lib/dom.js follows the same rules."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_LEFTWARDS = {"R", "AL", "AN"}


def fill(text: str, values: Mapping[str, object]) -> str:
    """`text` with its places filled: {name} by a value (with Python's format, {name:,}), {name|one|many} by the form of
    a word that goes with the value: "{count} {count|token|tokens}".

    Raises KeyError for a place that has no value.
    """
    return text.format_map(_Places({name: isolated(value) for name, value in values.items()}))


def isolated(value: object) -> object:
    """A text with letters that run from right to left between marks that keep its order to itself (Unicode UAX #9):
    a number beside an Arabic word would else change its side."""
    if isinstance(value, str) and any(
        unicodedata.bidirectional(character) in _LEFTWARDS for character in value
    ):
        return f"\N{FIRST STRONG ISOLATE}{value}\N{POP DIRECTIONAL ISOLATE}"
    return value


class _Places(dict[str, object]):
    def __missing__(self, place: str) -> str:
        name, *forms = place.split("|")
        if len(forms) != 2:
            raise KeyError(place)
        return forms[0] if str(self[name]) == "1" else forms[1]
