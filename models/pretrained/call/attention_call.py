"""One attention call of a pretrained model, opened one head at a time."""

from __future__ import annotations

from functools import cached_property

from torch import Tensor

from models.pretrained.call import notes
from models.pretrained.call.call_in_layer import CallInLayer
from models.pretrained.call.head_trace import trace_head
from models.pretrained.call.many_heads import weights_of_heads
from models.trace import Trace


class AttentionCall(CallInLayer):
    """One attention of one layer: its numbers (`RecordedCall`), where they come from and go to (`CallInLayer`), every
    step of a head, and what has to be said about it."""

    def weights_of_heads(self, heads: range, batch: int = 0) -> Tensor:
        """H × N × M: `weights` of several heads, much quicker than one by one."""
        if len(heads):
            self._checked(heads[0]), self._checked(heads[-1])
        return weights_of_heads(self, heads, batch)

    def trace(self, head: int, batch: int = 0) -> Trace:
        """Every step of one head, in the from-scratch engine's terms, for `models.explain` to take apart.

        Its head axis has length 1: `explain(call.trace(3), "scores", (0, i, j))`.
        """
        return trace_head(self, self._checked(head), batch)

    @cached_property
    def exact(self) -> bool:
        """Whether the rows of the model's own head outputs that were kept are reproduced."""
        return notes.agrees(self)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know about this call, in English sentences."""
        return tuple(notes.describe(self, self.exact))
