"""Rules for pretrained models' steps, with numbers that can be derived by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from models.explain import explain
from models.trace import Step, Trace

GRID = ("head", "query", "key")
VECTOR = ("head", "query", "d_k")


def make(*steps: Step, head: int | None = 0, **parameters: Tensor) -> Trace:
    labels = tuple("ab")
    return Trace(steps, scale=1.0, parameters=parameters, head=head, query_labels=labels, key_labels=labels)


def given(name: str, value: list[object], axes: tuple[str, ...] = VECTOR) -> Step:
    return Step(name, torch.tensor(value), axes, "", "lookup")


def test_a_quarter_turn() -> None:
    """(3, 4) turned by 90° is (−4, 3)."""
    trace = make(
        given("query", [[[3.0, 4.0]]]),
        Step("query_rotated", torch.tensor([[[-4.0, 3.0]]]), VECTOR, "", "rotate", ("query", "cos", "sin", "pairs")),
        cos=torch.zeros(1, 2),
        sin=torch.tensor([[-1.0, 1.0]]),
        pairs=torch.tensor([[0, 1], [1, 0]]),
    )  # fmt: skip
    found = explain(trace, "query_rotated", (0, 0, 0))
    assert [term.factors for term in found.terms] == [(3.0, 0.0), (4.0, -1.0)]
    assert found.evaluate() == -4
    assert explain(trace, "query_rotated", (0, 0, 1)).evaluate() == 3


def test_the_root_mean_square_of_1_and_7_is_5() -> None:
    trace = make(
        given("query", [[[1.0, 7.0]]]),
        Step("query_normed", torch.tensor([[[0.4, 1.4]]]), VECTOR, "", "rms_norm", ("query", "w", "eps")),
        w=torch.tensor([2.0, 1.0]),
        eps=torch.tensor([0.0]),
    )
    assert explain(trace, "query_normed", (0, 0, 0)).evaluate() == pytest.approx(0.4)
    assert explain(trace, "query_normed", (0, 0, 1)).evaluate() == pytest.approx(1.4)


def test_a_norm_over_all_heads_starts_at_the_heads_offset() -> None:
    """Head 1 of two with one dimension each, from the row (1, 7)."""
    trace = make(
        given("query_all", [[1.0, 7.0]], ("query", "concat")),
        Step("query", torch.tensor([[[1.4]]]), VECTOR, "", "rms_norm", ("query_all", "w", "eps", "offset")),
        head=1,
        w=torch.ones(2),
        eps=torch.tensor([0.0]),
        offset=torch.tensor([1]),
    )
    found = explain(trace, "query", (0, 0, 0))
    assert found.chosen == 1
    assert len(found.terms) == 2
    assert found.evaluate() == pytest.approx(1.4)


def test_a_layer_norm_of_2_and_4() -> None:
    """Mean 3, deviation 1: −1 and 1; times 2 plus 10."""
    inputs = ("query", "w", "b", "eps")
    trace = make(
        given("query", [[[2.0, 4.0]]]),
        Step("query_normed", torch.tensor([[[8.0, 12.0]]]), VECTOR, "", "layer_norm", inputs),
        w=torch.tensor([2.0, 2.0]),
        b=torch.tensor([10.0, 10.0]),
        eps=torch.tensor([0.0]),
    )
    assert [explain(trace, "query_normed", (0, 0, d)).evaluate() for d in (0, 1)] == [8, 12]


def test_a_soft_cap_bends_and_never_passes() -> None:
    value = torch.tensor([[[2 * math.tanh(0.5), 2.0]]])
    trace = make(
        given("scaled", [[[1.0, 1e6]]], GRID),
        Step("softcapped", value, GRID, "", "softcap", ("scaled", "cap")),
        cap=torch.tensor([2.0]),
    )
    assert explain(trace, "softcapped", (0, 0, 0)).evaluate() == pytest.approx(2 * math.tanh(0.5))
    assert explain(trace, "softcapped", (0, 0, 1)).evaluate() == 2


def test_a_sink_takes_part_in_the_sum() -> None:
    """Scores 0 and 0 beside a sink of log 2: shares ¼, ¼ and ½."""
    inputs = ("masked", "sink")
    trace = make(
        given("masked", [[[0.0, 0.0]]], GRID),
        Step("weights", torch.tensor([[[0.25, 0.25]]]), GRID, "", "softmax", inputs),
        Step("sink_mass", torch.tensor([[0.5]]), GRID[:2], "", "softmax", inputs),
        sink=torch.tensor([[math.log(2)]]),
    )
    found = explain(trace, "weights", (0, 0, 1))
    assert [term.label for term in found.terms] == ["a", "b", "⟨sink⟩"]
    assert found.evaluate() == pytest.approx(0.25)
    assert explain(trace, "sink_mass", (0, 0)).evaluate() == pytest.approx(0.5)


def test_a_row_that_sees_only_the_sink_gives_it_everything() -> None:
    trace = make(
        given("masked", [[[-math.inf, -math.inf]]], GRID),
        Step("weights", torch.zeros(1, 1, 2), GRID, "", "softmax", ("masked", "sink")),
        Step("sink_mass", torch.ones(1, 1), GRID[:2], "", "softmax", ("masked", "sink")),
        sink=torch.tensor([[-3.0]]),
    )
    assert explain(trace, "weights", (0, 0, 0)).evaluate() == 0
    assert explain(trace, "sink_mass", (0, 0)).evaluate() == 1


def test_one_head_of_many_uses_its_own_rows_of_w_o() -> None:
    w_o = torch.tensor([[1.0], [2.0], [3.0], [4.0]])  # two heads of two dimensions
    trace = make(
        given("weights", [[[1.0, 0.0]]], GRID),
        given("value", [[[5.0, 6.0], [0.0, 0.0]]], ("head", "key", "d_v")),
        given("head_output", [[[5.0, 6.0]]], ("head", "query", "d_v")),
        Step("contribution", torch.tensor([[39.0]]), ("query", "d_model"), "", "contribution", ("head_output", "w_o")),
        Step("concat", torch.tensor([[7.0, 8.0, 5.0, 6.0]]), ("query", "concat"), "", "concat", ("head_output",)),
        Step("output", torch.tensor([[62.5]]), ("query", "d_model"), "", "output", ("concat", "w_o", "b_o")),
        head=1,
        w_o=w_o,
        b_o=torch.tensor([0.5]),
    )  # fmt: skip
    assert explain(trace, "contribution", (0, 0)).evaluate() == 39
    own, other = explain(trace, "concat", (0, 3)), explain(trace, "concat", (0, 0))
    assert own.terms[0].sources != ()
    assert other.terms[0].sources == ()  # not part of this trace
    assert other.evaluate() == 7
    assert explain(trace, "output", (0, 0)).evaluate() == 62.5


def test_a_factor_before_the_dot_product() -> None:
    trace = make(
        given("query", [[[8.0]]]),
        Step("query_scaled", torch.tensor([[[2.0]]]), VECTOR, "", "multiply", ("query", "query_scale")),
        query_scale=torch.tensor([0.25]),
    )
    found = explain(trace, "query_scaled", (0, 0, 0))
    assert found.operation == "product"
    assert found.terms[0].factors == (8.0, 0.25)
    assert found.evaluate() == 2


@pytest.mark.parametrize(("operation", "x", "expected"), [
    ("sigmoid", 0.0, 0.5), ("sigmoid", -800.0, 0.0), ("sigmoid", 800.0, 1.0),
    ("softplus", 0.0, math.log(2)), ("softplus", 800.0, 800.0), ("softplus", -800.0, 0.0),
])  # fmt: skip
def test_a_gate_opens(operation: str, x: float, expected: float) -> None:
    value = torch.tensor([[[expected]]], dtype=torch.float64)
    trace = make(given("gate", [[[x]]]), Step("gate_opening", value, VECTOR, "", operation, ("gate",)))
    assert explain(trace, "gate_opening", (0, 0, 0)).evaluate() == pytest.approx(expected)


def test_a_gated_cell_is_a_product() -> None:
    trace = make(
        given("head_output", [[[3.0, 4.0]]]),
        given("gate_opening", [[[0.5]]]),
        Step(
            "gated_output", torch.tensor([[[1.5, 2.0]]]), VECTOR, "", "gated", ("head_output", "gate_opening")
        ),
    )
    found = explain(trace, "gated_output", (0, 0, 1))
    assert found.terms[0].factors == (4.0, 0.5)
    assert found.evaluate() == 2
