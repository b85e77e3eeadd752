from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from benchmarks import capture_peak
from benchmarks.alive import bytes_alive
from benchmarks.capture import same_output
from benchmarks.random_models import HEADS, LAYERS, narrow_bert, random_ids
from models.pretrained.capture import CapturedForward, capture_calls


class Held:
    """Something with tensors in it, at some depth."""

    def __init__(self, *things: Any) -> None:
        self.things = {"deep": [things]}


def test_every_memory_counts_once_and_as_a_whole() -> None:
    large, small = torch.zeros(100), torch.zeros(3, dtype=torch.float64)
    assert bytes_alive(Held(large[:2], large.view(10, 10), (small,))) == 400 + 24


def test_a_models_own_parameters_do_not_count() -> None:
    layer = nn.Linear(4, 5)
    held = Held(layer, layer.weight, layer.weight.T, torch.zeros(7))
    assert bytes_alive(held, layer) == 28
    assert bytes_alive(held) == 28 + 4 * 5 * 4


def test_a_capture_keeps_queries_keys_values_and_inputs() -> None:
    model, tokens, d_model = narrow_bert("sdpa"), 40, 96
    kept = bytes_alive(capture_calls(model, input_ids=random_ids(tokens)).calls, model)
    least = LAYERS * 4 * tokens * d_model * 4  # layers × (q, k, v, input) × N × D × float32
    assert least <= kept < 1.2 * least


def test_attentions_are_all_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_peak, "bert", narrow_bert)
    monkeypatch.setattr(capture_peak, "LONGEST", 24)
    assert capture_peak.measure("attentions")["kept"] == LAYERS * HEADS * 24 * 24 * 4
    assert capture_peak.measure("plain")["kept"] == 0


@pytest.mark.skipif(not capture_peak._STATUS.exists(), reason="no /proc here")
def test_the_peak_does_not_sink() -> None:
    before = capture_peak.peak()
    assert before is not None
    large = torch.ones(before // 4 + 1)  # as much again as the process has ever had
    after = capture_peak.peak()
    del large
    assert after is not None
    assert after > 1.1 * before
    assert (capture_peak.peak() or 0) > 0.99 * after


def test_a_capture_that_changes_the_output_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = narrow_bert("sdpa")
    same_output(model, random_ids(5))

    def disturbed(model: nn.Module, **inputs: Any) -> CapturedForward:
        found = capture_calls(model, **inputs)
        with torch.inference_mode():
            found.output.last_hidden_state[0, 0, 0] += 1e-6
        return found

    monkeypatch.setattr("benchmarks.capture.capture_calls", disturbed)
    with pytest.raises(AssertionError, match="changed the output"):
        same_output(model, random_ids(5))
