"""A cell's numbers against the trace and against each other."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from components.cell import share_of_output
from models.build import build
from models.cell import cell_of
from models.pretrained.capture import capture_calls
from models.settings import PRESETS
from models.trace import Trace
from tests.models.pretrained.architectures import build as build_model

TRACE = build(dataclasses.replace(PRESETS["animal"], mask="causal", hidden=(2,), temperature=0.7))


@pytest.mark.parametrize(("head", "i", "j"), [(0, 7, 1), (3, 9, 0), (1, 4, 2), (2, 0, 5)])
def test_the_parts_make_the_cell(head: int, i: int, j: int) -> None:
    cell = cell_of(TRACE, head, i, j)
    assert float(cell.query @ cell.key) == pytest.approx(cell.steps["scores"], rel=1e-5)
    assert cell.steps["scaled"] == pytest.approx(cell.steps["scores"] / math.sqrt(TRACE.d_k), rel=1e-6)
    torch.testing.assert_close(cell.exponentials / cell.total, cell.weights)
    assert cell.sink == 0
    assert cell.visible == (j <= i and j != 2)
    assert cell.weight == float(TRACE["weights"].value[head, i, j])


def test_what_the_keys_add_sums_to_the_head_and_the_heads_to_the_output() -> None:
    i = 8
    per_head = []
    for head in range(TRACE.heads):
        cells = [cell_of(TRACE, head, i, j) for j in range(10)]
        added = torch.stack([c.added_by_key for c in cells if c.added_by_key is not None]).sum(0)
        assert cells[0].added_by_head is not None
        torch.testing.assert_close(added, cells[0].added_by_head, rtol=1e-4, atol=1e-5)
        per_head.append(cells[0].added_by_head)
    torch.testing.assert_close(torch.stack(per_head).sum(0), TRACE["output"].value[i], rtol=1e-4, atol=1e-5)


def test_without_an_output_projection_nothing_is_claimed_about_it() -> None:
    bare = Trace(TRACE.steps, TRACE.scale, TRACE.temperature, TRACE.tokens, mask=TRACE.mask)
    assert cell_of(bare, 0, 1, 0).added_by_head is None


def test_a_cell_outside_is_refused() -> None:
    with pytest.raises(IndexError):
        cell_of(TRACE, 0, 10, 0)


@pytest.mark.parametrize("name", ["Qwen3-Next (gated)", "Laguna (gated)", "Llama", "gpt-oss (sinks)", "BERT"])
def test_a_cell_adds_what_the_call_says_the_head_adds(name: str) -> None:
    """Gated per dimension, gated per head, not gated: the parts of all keys make what the call knows."""
    model, inputs = build_model(name)
    call = capture_calls(model, **inputs).calls[1]
    head, i = 3, 5
    trace = call.trace(head)
    cells = [cell_of(trace, 0, i, j) for j in range(call.keys)]
    cell = cells[0]
    assert (cell.gate is not None) == ("gated" in name)
    assert cell.added_by_head is not None
    torch.testing.assert_close(cell.written, call.written_output(head)[i], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(cell.added_by_head, call.contribution(head)[i], rtol=1e-4, atol=1e-5)
    parts = torch.stack([c.part for c in cells]).sum(0)
    torch.testing.assert_close(parts, cell.written, rtol=1e-4, atol=1e-5)
    added = torch.stack([c.added_by_key for c in cells if c.added_by_key is not None]).sum(0)
    torch.testing.assert_close(added, cell.added_by_head, rtol=1e-4, atol=1e-5)
    shares = [share_of_output(c) for c in cells]
    assert sum(share for share in shares if share is not None) == pytest.approx(1, rel=1e-4)
