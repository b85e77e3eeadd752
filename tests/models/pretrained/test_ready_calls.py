"""The ready models, for real: every number of their attention is traced back to the layer's input, and explained."""

from __future__ import annotations

import random

import pytest

from models.pretrained import load_model
from models.pretrained.catalogue import READY_MODELS
from models.trace import Trace
from tests.models.pretrained.checks import assert_explains

TEXT = "The little dog ran over the bridge."


@pytest.mark.parametrize("name", READY_MODELS)
def test_every_call_is_explained_from_its_input(name: str) -> None:
    found = load_model(name).trace(TEXT)
    assert found.tier == 1
    assert not found.unseen
    for call in found.calls:
        assert call.exact
        choose = random.Random(call.layer)
        trace = call.trace(choose.randrange(call.heads))
        assert [trace[step].operation for step in ("query", "key", "value")] == ["projection"] * 3
        assert ("query_rotated" in trace) == (name == "smollm2")
        assert "output" in trace
        assert_cells(trace, choose)


def assert_cells(trace: Trace, choose: random.Random) -> None:
    for step in trace.steps:
        assert_explains(trace, step.name, tuple(choose.randrange(size) for size in step.value.shape))
