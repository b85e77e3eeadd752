"""The numbers of one cell as they go to the browser."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
import torch

from app.languages import LANGUAGES, locale
from components.cell import TEXT_KEYS, changes, flow, share_of_output
from models import steps
from models.build import build
from models.cell import Cell, cell_of
from models.settings import PRESETS
from models.trace import Step, Trace

TEXT: dict[str, str] = locale("en")["components"]["cell"]
GRID = ("head", "query", "key")


def trace_of_one_head(
    *, bias: float | None = None, cap: float | None = None, sink: float | None = None
) -> Trace:
    """A head as pretrained models have it: rotated (here: reversed) queries and keys, and what else is asked for."""
    torch.manual_seed(3)
    query, key, value = torch.randn(1, 3, 4), torch.randn(1, 3, 4), torch.randn(1, 3, 2)
    made = [
        Step("query", query, ("head", "query", "d_k"), "Q", "lookup"),
        Step("query_rotated", query.flip(-1), ("head", "query", "d_k"), "RoPE(Q)", "rotate", ("query",)),
        Step("key", key, ("head", "key", "d_k"), "K", "lookup"),
        Step("value", value, ("head", "key", "d_v"), "V", "lookup"),
    ]
    scores = query.flip(-1) @ key.mT
    made += [Step("scores", scores, GRID, "Q·Kᵀ", "dot", ("query_rotated", "key"))]
    last = scores * 0.5
    made += [Step("scaled", last, GRID, "", "scale", ("scores",))]
    if cap is not None:
        last = cap * torch.tanh(last / cap)
        made += [Step("softcapped", last, GRID, "", "softcap", (made[-1].name, "softcap"))]
    if bias is not None:
        last = last + bias
        made += [Step("biased", last, GRID, "", "sum", (made[-1].name, "bias"))]
    made += [Step("masked", last, GRID, "", "mask", (made[-1].name,))]
    parameters: dict[str, Any] = {"w_o": torch.randn(6, 5)}
    if sink is not None:
        parameters["sink"] = torch.full((1, 3), sink)
        last = torch.cat((last, parameters["sink"][..., None]), -1)
    weights = steps.softmax(last)[..., :3]
    inputs = ("masked",) if sink is None else ("masked", "sink")
    made += [
        Step("weights", weights, GRID, "", "softmax", inputs),
        Step("head_output", weights @ value, ("head", "query", "d_v"), "", "mix", ("weights", "value")),
    ]
    return Trace(tuple(made), scale=0.5, parameters=parameters, head=2)


def names(cell: Cell) -> list[str]:
    return [item["name"] for item in flow(cell, 0.5, TEXT)]


def values(cell: Cell) -> dict[str, Any]:
    return {item["name"]: item["value"] for item in flow(cell, 0.5, TEXT)}


def test_the_flow_leads_from_the_product_to_the_weight() -> None:
    cell = cell_of(build(PRESETS["animal"]), 1, 7, 1)
    found = list(values(cell).values())
    assert found[0] == pytest.approx(float(cell.query @ cell.key), rel=1e-5)
    assert found[3] == pytest.approx(math.exp(found[1] - cell.largest), rel=1e-4)
    assert found[4] == pytest.approx(found[3] / cell.total, rel=1e-4)


def test_what_a_model_does_besides_is_part_of_the_flow_in_its_order() -> None:
    plain = names(cell_of(trace_of_one_head(), 0, 2, 1))
    assert plain[:3] == ["q · k", "× 0.5", "mask"]
    both = names(cell_of(trace_of_one_head(bias=0.25, cap=2.0), 0, 2, 1))
    assert both[:5] == ["q · k", "× 0.5", "soft cap", "+ position bias", "mask"]


def test_a_sink_takes_its_share() -> None:
    cell = cell_of(trace_of_one_head(sink=1.5), 0, 2, 1)
    assert values(cell)[TEXT["flow_sink"]] == pytest.approx(cell.sink)
    assert float(cell.weights.sum()) + cell.sink / cell.total == pytest.approx(1)
    assert TEXT["flow_sink"] not in values(cell_of(trace_of_one_head(), 0, 2, 1))


def test_the_largest_score_is_subtracted_with_its_sign() -> None:
    largest_above = cell_of(trace_of_one_head(bias=50.0), 0, 2, 1)
    largest_below = cell_of(trace_of_one_head(bias=-50.0), 0, 2, 1)
    assert f"exp(x − {largest_above.largest:.2f})" in names(largest_above)
    assert f"exp(x + {-largest_below.largest:.2f})" in names(largest_below)


def test_what_was_multiplied_is_shown_beside_what_was_projected() -> None:
    cell = cell_of(trace_of_one_head(), 0, 2, 1)
    assert cell.query_before is not None
    assert cell.key_before is None
    torch.testing.assert_close(cell.query, cell.query_before.flip(-1))
    assert float(cell.query @ cell.key) == pytest.approx(cell.steps["scores"], rel=1e-5)
    assert cell.changed == ("rotate",)
    unrotated = f"{float(cell.query_before @ cell.key):.3f}".replace("-", "−")
    assert changes(cell, TEXT) == [TEXT["changed"].format(how=TEXT["changed_rotate"], product=unrotated)]
    assert changes(cell_of(build(PRESETS["animal"]), 0, 1, 1), TEXT) == []


def test_a_head_of_a_model_reads_its_own_rows_of_the_output_matrix() -> None:
    trace = trace_of_one_head()  # it is head 2: rows 4 and 5 of W_O
    cell = cell_of(trace, 0, 2, 1)
    assert cell.added_by_head is not None
    torch.testing.assert_close(cell.added_by_head, cell.head_output @ trace.parameters["w_o"][4:6])


def test_shares_of_all_keys_sum_to_one() -> None:
    trace = build(PRESETS["animal"])
    shares = [share_of_output(cell_of(trace, 2, 4, j)) or 0.0 for j in range(10)]
    assert sum(shares) == pytest.approx(1, rel=1e-5)


def test_a_gate_is_part_of_the_flow() -> None:
    plain = cell_of(trace_of_one_head(), 0, 2, 1)
    gated = dataclasses.replace(plain, gate=torch.tensor([0.5, 0.0]), written=plain.written * 0.25)
    assert TEXT["flow_gate"] not in values(plain)
    expected = abs(float(plain.value[0])) * plain.weight * 0.5
    assert values(gated)[TEXT["flow_gate"]] == pytest.approx(expected, rel=1e-5)
    assert names(gated).index(TEXT["flow_gate"]) == names(gated).index(TEXT["flow_value"]) + 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word(language: str) -> None:
    text = locale(language)["components"]["cell"]
    assert set(TEXT_KEYS) <= set(text)
    for trace in (trace_of_one_head(bias=0.1, cap=3.0, sink=0.2), build(PRESETS["fruit"])):
        assert all(item["name"] for item in flow(cell_of(trace, 0, 1, 1), 0.5, text))
