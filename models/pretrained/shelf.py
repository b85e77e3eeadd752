"""The models that are kept in memory, and those that are on their way into it.

A session that wants a loaded model never waits; one that wants a model which another session is loading waits for that
one alone. Different models load at the same time, unless there is memory for one of them only.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from models import collector
from models.memory import free_memory, total_memory
from models.pretrained import problems
from models.pretrained.model import PretrainedModel

HEADROOM = 1.2  # of the weights: buffers, and the numbers of one forward pass
KEPT_SHARE = 0.5  # of the memory there is, for all models together; a single one may be larger

Stamp = tuple[object, ...]


@dataclass(frozen=True)
class Kept:
    model: PretrainedModel
    needed: int  # bytes


class Shelf:
    """Models by the stamp of their folder, which begins with its path. The one used least recently makes room."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._kept: OrderedDict[Stamp, Kept] = OrderedDict()  # most recently used last
        self._coming: dict[Stamp, int] = {}  # bytes that each will need
        self.when_let_go: list[Callable[[], object]] = []  # for caches that hold parts of models

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, stamp: Stamp, title: str, weights: int) -> PretrainedModel | None:
        """The model; or None, and then it is the caller's turn to load it and to `put` it here, or to `give_up`.

        `weights` in bytes. Raises InputError model_no_memory.
        """
        needed = int(weights * HEADROOM)
        with self._changed:
            while (found := self._kept.get(stamp)) is None:
                if stamp not in self._coming and self._make_room(title, needed):
                    self._coming[stamp] = needed
                    return None
                self._changed.wait()
            self._kept.move_to_end(stamp)
            return found.model

    def put(self, stamp: Stamp, model: PretrainedModel) -> None:
        with self._changed:
            for old in [other for other in self._kept if other[0] == stamp[0]]:  # the folder has changed
                del self._kept[old]
            self._kept[stamp] = Kept(model, self._coming.pop(stamp))
            self._changed.notify_all()

    def give_up(self, stamp: Stamp) -> None:
        with self._changed:
            del self._coming[stamp]
            self._changed.notify_all()

    def clear(self) -> None:
        """Lets all models go: their memory is given back once nobody uses them any more."""
        with self._changed:
            self._kept.clear()
            self._let_go()

    def _make_room(self, title: str, needed: int) -> bool:
        """Whether it fits now; False if others that are loading have to be waited for."""
        bound = KEPT_SHARE * total_memory()
        while self._kept and self._taken() + needed > bound:
            self._drop_oldest()
        while (free := free_memory()) < needed:
            if not self._kept:
                if self._coming:
                    return False
                raise problems.no_memory(title, needed, free)
            self._drop_oldest()
        return free - sum(self._coming.values()) >= needed or not self._coming

    def _taken(self) -> int:
        return sum(kept.needed for kept in self._kept.values()) + sum(self._coming.values())

    def _drop_oldest(self) -> None:
        self._kept.popitem(last=False)
        self._let_go()

    def _let_go(self) -> None:
        for forget in self.when_let_go:
            forget()
        collector.collect()
