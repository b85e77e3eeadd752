"""The attention of a text that grows, as it was caught: pieces, one for every time the model read something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from models.generation.merge import first_rows, merged, without_keys
from models.pretrained.recording import Recorded

KeysValues = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Caught:
    """`pieces` hold, per reading, the calls of all layers without keys and values; `known` has those of everything
    read, per layer. `grows` is False for cross-attention, where they do not change."""

    pieces: tuple[tuple[Recorded, ...], ...] = ()
    known: tuple[KeysValues, ...] = ()
    grows: bool = True

    def with_more(self, calls: Sequence[Recorded]) -> Caught:
        """As it is after another reading."""
        pieces = (self._joined,) if "whole" in vars(self) else self.pieces  # joined once, they stay joined
        known = tuple((call.key, call.value) for call in calls)
        return Caught((*pieces, tuple(map(without_keys, calls))), known, self.grows)

    def first(self, rows: int) -> Caught:
        """As it was after the first `rows` tokens."""
        if rows == 0:
            return Caught(grows=self.grows)
        cut = [first_rows(call, rows, grows=self.grows) for call in self.whole]
        return Caught(grows=self.grows).with_more(cut)

    @cached_property
    def whole(self) -> tuple[Recorded, ...]:
        """One call per layer over everything read."""
        return tuple(
            merged([piece[layer] for piece in self.pieces], key, value, grows=self.grows)
            for layer, (key, value) in enumerate(self.known)
        )

    @property
    def _joined(self) -> tuple[Recorded, ...]:
        return tuple(map(without_keys, self.whole))
