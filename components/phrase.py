"""Sentences with places that are filled in; `fillTemplate` in frontend/lib/dom.js follows the same rules."""

from __future__ import annotations

from collections.abc import Mapping


def fill(text: str, values: Mapping[str, object]) -> str:
    """`text` with its places filled: {name} by a value (with Python's format, {name:,}), {name|one|many} by the form of
    a word that goes with the value: "{count} {count|token|tokens}".

    Raises KeyError for a place that has no value.
    """
    return text.format_map(_Places(values))


class _Places(dict[str, object]):
    def __missing__(self, place: str) -> str:
        name, *forms = place.split("|")
        if len(forms) != 2:
            raise KeyError(place)
        return forms[0] if str(self[name]) == "1" else forms[1]
