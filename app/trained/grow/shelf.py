"""The texts that are being written: kept for a while and shared by all sessions, so that a click costs one step.

Drafts never change, so sessions cannot disturb each other. Of a draft and its beginning only the longer one is kept:
stepping back on it costs nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock

from models.generation import Draft

NUMBER = 4  # bytes of a float32


class Shelf:
    """The drafts used last; together they take at most `room` bytes, but the newest is always kept."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._drafts: OrderedDict[tuple[Hashable, tuple[int, ...]], Draft] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, written: Sequence[int], begin: Callable[[], Draft]) -> Draft:
        """The draft of the prompt named `key` in which `written` has been written; `begin` makes an empty one."""
        wanted = tuple(written)
        with self._lock:
            nearest = max(self._of(key), key=lambda draft: _common(draft.written, wanted), default=None)
        draft = (nearest or begin()).moved(wanted)
        self.put(key, draft)
        return draft

    def put(self, key: Hashable, draft: Draft) -> None:
        """Keep a draft."""
        with self._lock:
            for (name, ids), kept in list(self._drafts.items()):
                if name != key:
                    continue
                if ids[: len(draft.written)] == draft.written:  # the longer one is there
                    self._drafts.move_to_end((name, ids))
                    return
                if draft.written[: len(ids)] == kept.written:
                    del self._drafts[name, ids]
            self._drafts[key, draft.written] = draft
            while len(self._drafts) > 1 and sum(map(size, self._drafts.values())) > self._room:
                self._drafts.popitem(last=False)

    def __len__(self) -> int:
        return len(self._drafts)

    def _of(self, key: Hashable) -> list[Draft]:
        return [draft for (name, _), draft in self._drafts.items() if name == key]


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many numbers two lists begin with together."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def size(draft: Draft) -> int:
    """About how many bytes a draft takes: per layer and row a query, a key, a value, and what went into the layer;
    and the logits that are kept for stepping back."""
    return draft.rows * draft.writer.numbers_per_row * NUMBER + draft.logits_bytes
