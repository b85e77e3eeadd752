"""A window on a long trace: every number in it is the whole trace's, and can be recomputed from what the window has."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.attention import MultiHeadAttention
from models.pretrained.capture import capture_calls
from models.trace import Trace
from models.window import around, window
from tests.models.pretrained.architectures import ARCHITECTURES, build
from tests.models.pretrained.checks import assert_explains

SAME = ("query", "key", "value", "scores", "scaled", "masked", "weights", "head_output", "contribution")


def traces(name: str) -> list[Trace]:
    """The last head of every call of a small model of this architecture."""
    model, inputs = build(name)
    calls = capture_calls(model, **inputs).calls
    return [call.trace(call.heads - 1) for call in calls]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_cell_of_a_window_is_the_trace_s_and_is_explained(name: str) -> None:
    for trace in traces(name):
        rows, columns = trace["weights"].value.shape[1:]
        queries, keys = (0, rows - 1), (0, 1, columns - 2)
        if "context" not in trace:  # queries and keys are made from the same rows
            queries = keys
        part = window(trace, queries, keys)
        for step in SAME:
            if step in trace:
                places = {"query": queries, "key": keys, "token": queries}
                expected = trace[step].value
                for at, axis in enumerate(trace[step].axes):
                    if axis in places:
                        expected = expected.index_select(at, torch.tensor(places[axis]))
                assert torch.equal(part[step].value, expected), step
        for step in part.steps:
            cells = list(itertools.product(*map(range, step.value.shape)))
            for index in cells[:: max(1, len(cells) // 40)]:
                assert_explains(part, step.name, index)


def test_the_shares_of_a_row_add_up_to_one_with_the_rest() -> None:
    for trace in traces("gpt-oss (sinks)"):
        part = window(trace, (2, 5), (2, 5))
        weights, sink, rest = (part[name].value[0] for name in ("weights", "sink_mass", "rest_mass"))
        torch.testing.assert_close(weights.sum(-1) + sink + rest, torch.ones(2))
        outside = trace["weights"].value[0][[2, 5]][:, [0, 1, 3, 4, 6]].sum(-1)
        torch.testing.assert_close(rest, outside)


def test_the_rest_is_what_the_other_keys_hand_over() -> None:
    trace = traces("Llama")[0]
    part = window(trace, (2, 6), (2, 6))
    weights, value = trace["weights"].value[0, 6], trace["value"].value[0]
    others = [0, 1, 3, 4, 5]
    expected = (weights[others, None] * value[others]).sum(0)
    torch.testing.assert_close(part["rest_output"].value[0, 1].float(), expected, atol=1e-6, rtol=1e-5)
    assert part.window is not None
    assert (part.window.queries, part.window.keys) == ((2, 6), (2, 6))
    assert (part.window.all_queries, part.window.all_keys, part.window.visible) == (7, 7, (3, 7))


def test_where_all_keys_are_shown_nothing_is_left_over() -> None:
    trace = next(trace for trace in traces("BART") if "context" in trace)
    part = window(trace, (0,), range(trace["weights"].value.shape[-1]))
    assert part.names == trace.names
    assert "rest" not in part.parameters


def test_a_trace_of_all_heads_has_no_window() -> None:
    with pytest.raises(ValueError, match="one head"):
        window(MultiHeadAttention(4, 2).trace(torch.randn(3, 4)), (0,), (0,))
    with pytest.raises(ValueError, match="same rows"):
        window(traces("Llama")[0], (0,), (1,))


@given(st.integers(1, 400), st.data())
def test_places_around(length: int, data: st.DataObject) -> None:
    place = st.integers(0, length - 1)
    chosen = data.draw(st.tuples(place, place))
    found = around(chosen, 32, length)
    assert set(chosen) <= set(found) <= set(range(length))
    assert list(found) == sorted(set(found))
    assert min(31, length) <= len(found) <= 32


def test_places_around_two_are_shared_between_them() -> None:
    assert around((100, 5), 4, 200) == (4, 5, 99, 100)
    assert around((0, 0), 4, 200) == (0, 1, 2, 3)
    assert around((7, 8), 4, 200) == (6, 7, 8, 9)
    assert around((199,), 4, 200) == (196, 197, 198, 199)
