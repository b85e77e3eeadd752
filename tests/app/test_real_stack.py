"""Which attention calls belong together, and what an address that asks for too much gets."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as some

from app.model_view import ModelView
from app.trained.stack import labels_of, stack_at, stacks_of


def call(
    stream: str, kind: str = "self", heads: int = 4, queries: int = 5, keys: int = 5, layer: int = 0
) -> SimpleNamespace:
    return SimpleNamespace(
        stream=stream,
        kind=kind,
        layer=layer,
        heads=heads,
        queries=queries,
        keys=keys,
        query_labels=None,
        key_labels=None,
    )


CALLS = [
    call("encoder"),
    call("encoder", heads=2, layer=1),
    call("decoder", queries=3, keys=3),
    call("decoder", "cross", heads=6, queries=3),
    call("decoder", queries=3, keys=3, layer=3),
]


def test_stacks_in_the_order_they_ran() -> None:
    assert stacks_of(CALLS) == [("encoder", "self"), ("decoder", "self"), ("decoder", "cross")]  # type: ignore[arg-type]


def test_each_stack_has_its_own_layers() -> None:
    stack = stack_at(CALLS, ModelView(stream="decoder", layer=3))  # type: ignore[arg-type]
    assert (len(stack.calls), stack.call) == (2, CALLS[4])
    assert (stack.layers, stack.layer, stack.row) == ((0, 3), 3, 1)
    assert stack_at(CALLS, ModelView(stream="decoder", kind="cross")).most_heads == 6  # type: ignore[arg-type]


def test_a_layer_without_attention_becomes_the_nearest_that_has_it() -> None:
    nearest = [stack_at(CALLS, ModelView(stream="decoder", layer=n)).layer for n in range(6)]  # type: ignore[arg-type]
    assert nearest == [0, 0, 3, 3, 3, 3]


@given(
    some.builds(
        ModelView,
        stream=some.sampled_from(["", "encoder", "decoder", "vision"]),
        kind=some.sampled_from(["self", "cross"]),
        layer=some.integers(0, 999),
        head=some.integers(0, 999),
        i=some.integers(0, 9999),
        j=some.integers(0, 9999),
    )
)
def test_whatever_is_asked_for_exists(view: ModelView) -> None:
    stack = stack_at(CALLS, view)  # type: ignore[arg-type]
    assert stack.head < stack.call.heads
    assert stack.i < stack.call.queries
    assert stack.j < stack.call.keys
    assert (stack.call.stream, stack.call.kind) == stack.name


def test_places_where_there_are_no_tokens() -> None:
    assert labels_of(call("vision", queries=2, keys=3)) == (("0", "1"), ("0", "1", "2"))  # type: ignore[arg-type]
