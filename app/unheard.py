"""What the browser has not heard of yet: values that the app gave to widgets while the browser was asking for a run.

A message that was sent before has the old value of the widget in it, and Streamlit takes that for a choice. The address
in the message tells the two apart, as the app's state, and so its address, has changed with the value. A link's address
says nothing of what its browser has heard of; but nobody changes a widget with a link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

LINK = "go"  # the parameter that a link of the app has and an address never keeps

Address = Mapping[str, Sequence[str]]


class _Old(NamedTuple):
    value: Any
    address: dict[str, list[str]]


class Unheard:
    """The old values of widgets, by key, for one session."""

    def __init__(self) -> None:
        self._old: dict[str, _Old] = {}

    def remember(self, key: str, value: object, reported: Address, new: Address) -> None:
        """The widget has shown `value` so far; the browser was at `reported`, and its address becomes `new`. Where the
        two are the same, what the browser says next would not show what it has heard of."""
        if _plain(reported) != _plain(new):
            self._old[key] = _Old(value, _plain(reported))

    def is_old(self, key: str, value: object, reported: Address) -> bool:
        """Whether a widget's value came with a message from before the app changed it."""
        old = self._old.get(key)
        return (
            old is not None and old.value == value and (LINK in reported or old.address == _plain(reported))
        )

    def forget_heard(self, reported: Address) -> None:
        """A browser at another address has heard of what led there."""
        if LINK not in reported:
            here = _plain(reported)
            self._old = {key: old for key, old in self._old.items() if old.address == here}


def _plain(address: Address) -> dict[str, list[str]]:
    """With nothing that a link adds."""
    return {name: list(values) for name, values in address.items() if name != LINK}
