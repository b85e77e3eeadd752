"""One stack of attention calls (encoder self, decoder self, cross …) and the head of it that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app import state
from app.i18n import t
from app.model_view import ModelView
from app.notice import notice
from models.pretrained import AttentionCall, ModelTrace

Name = tuple[str, str]  # stream and kind


@dataclass(frozen=True)
class Stack:
    """The calls of one stream and kind, and the layer, head, query and key that are looked at; all exist. `layer` is
    the model's own number, `row` where the layer stands among those that have attention."""

    name: Name
    calls: tuple[AttentionCall, ...]
    layer: int
    head: int
    i: int
    j: int

    @property
    def call(self) -> AttentionCall:
        return self.calls[self.row]

    @property
    def row(self) -> int:
        return self.layers.index(self.layer)

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that have attention, by the model's own numbers."""
        return tuple(call.layer for call in self.calls)

    @property
    def most_heads(self) -> int:
        return max(call.heads for call in self.calls)


def stacks_of(calls: Sequence[AttentionCall]) -> list[Name]:
    """Stream and kind of every stack, in the order they ran."""
    return list(dict.fromkeys((call.stream, call.kind) for call in calls))


def stack_at(calls: Sequence[AttentionCall], view: ModelView) -> Stack:
    """The stack that `view` looks at; what there is not becomes the nearest that there is."""
    names = stacks_of(calls)
    name = (view.stream, view.kind) if (view.stream, view.kind) in names else names[0]
    own = tuple(call for call in calls if (call.stream, call.kind) == name)
    call = min(own, key=lambda call: abs(call.layer - view.layer))
    return Stack(
        name,
        own,
        call.layer,
        min(view.head, call.heads - 1),
        min(view.i, call.queries - 1),
        min(view.j, call.keys - 1),
    )


def current_stack(trace: ModelTrace) -> Stack:
    """The stack that the session looks at. The state is made to agree: controls and address say what is shown."""
    view = state.model_view()
    stack = stack_at(trace.calls, view)
    say_moved(stack, view.layer)
    say_axes(stack)
    several = len(stacks_of(trace.calls)) > 1
    stream, kind = stack.name if several else ("", stack.name[1])
    state.look(stream=stream, kind=kind, layer=stack.layer, head=stack.head, i=stack.i, j=stack.j)
    return stack


def say_moved(stack: Stack, asked: int) -> None:
    """A sentence for an address that asks for a layer that the model has, but without attention. A number beyond the
    last layer is another model's or another stack's, and no wish."""
    if asked < stack.layers[-1] and asked not in stack.layers:
        notice(t("trained.layer_without", asked=asked, layer=stack.layer), "moved")


def say_axes(stack: Stack) -> None:
    """A sentence where rows and columns are not the tokens of the text."""
    if not stack.call.of_tokens:
        notice(t("trained.not_tokens", rows=stack.call.queries, columns=stack.call.keys), "axes")


def labels_of(call: AttentionCall) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of queries and keys; numbers where they are not tokens (images, sound, pooled layers, streams)."""
    queries = call.query_labels or tuple(str(i) for i in range(call.queries))
    keys = call.key_labels or tuple(str(j) for j in range(call.keys))
    return queries, keys


def on_place(layers: tuple[int, ...], columns: int) -> Callable[[int], None]:
    """What a click on a place of a grid of heads does. It keeps numbers alone: Streamlit holds it as long as the
    session lives, and a stack holds its whole model."""

    def look(place: int) -> None:
        state.look(layer=layers[place // columns], head=place % columns)

    return look
