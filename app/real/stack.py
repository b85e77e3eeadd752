"""One stack of attention calls (encoder self, decoder self, cross …) and the head of it that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app import state
from models.pretrained import AttentionCall, ModelTrace

Name = tuple[str, str]  # stream and kind


@dataclass(frozen=True)
class Stack:
    """The calls of one stream and kind, and the layer, head, query and key that are looked at; all exist."""

    name: Name
    calls: tuple[AttentionCall, ...]
    layer: int
    head: int
    i: int
    j: int

    @property
    def call(self) -> AttentionCall:
        return self.calls[self.layer]

    @property
    def most_heads(self) -> int:
        return max(call.heads for call in self.calls)


def stacks_of(trace: ModelTrace) -> list[Name]:
    """Stream and kind of every stack, in the order they ran."""
    return list(dict.fromkeys((call.stream, call.kind) for call in trace.calls))


def current_stack(trace: ModelTrace) -> Stack:
    """The stack that the session looks at; what it does not have becomes the nearest that it has."""
    view = state.model_view()
    names = stacks_of(trace)
    name = (view.stream, view.kind) if (view.stream, view.kind) in names else names[0]
    calls = tuple(call for call in trace.calls if (call.stream, call.kind) == name)
    layer = min(view.layer, len(calls) - 1)
    call = calls[layer]
    return Stack(
        name,
        calls,
        layer,
        min(view.head, call.heads - 1),
        min(view.i, call.queries - 1),
        min(view.j, call.keys - 1),
    )


def labels_of(call: AttentionCall) -> tuple[Sequence[str], Sequence[str]]:
    """Labels of queries and keys; positions where the model has no tokens (images, sound)."""
    queries = call.query_labels or tuple(str(i) for i in range(call.queries))
    keys = call.key_labels or tuple(str(j) for j in range(call.keys))
    return queries, keys
