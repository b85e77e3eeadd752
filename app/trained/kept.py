"""A few results that all sessions share. Unlike Streamlit's caches it lets the work draw a progress bar meanwhile."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The `most` results used last. Work that is given up (the reader changed the text) leaves nothing behind."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `key`, made now if it is not there. Two sessions that ask at once may both make it."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = make()
        with self._lock:
            self._results[key] = made
            self._results.move_to_end(key)
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return made
