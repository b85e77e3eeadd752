"""Many architectures: the capture changes nothing, shows the weights the model has, and can explain every number."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.pretrained.call import AttentionCall
from models.pretrained.call.layouts import matrix
from models.pretrained.call.notes import recomputed_difference
from models.pretrained.call.outputs import all_outputs
from models.pretrained.capture import CapturedForward, capture_calls
from models.trace import Trace
from tests.models.pretrained.architectures import ARCHITECTURES, build
from tests.models.pretrained.checks import assert_explains

FIELDS = (
    ("attentions", "self"),
    ("encoder_attentions", "self"),
    ("decoder_attentions", "self"),
    ("cross_attentions", "cross"),
)
# What these models return as attention is not the weights of every call:
RAW = {
    ("SqueezeBERT", "attentions"),
    ("ProphetNet", "encoder_attentions"),
    ("ProphetNet", "cross_attentions"),
}  # scores
RETURNED = {"Swin": lambda calls: calls[1:]}  # the last block of each stage
UNLIKE = {("ProphetNet", "decoder_attentions")}
SILENT: set[str] = set()
BACKENDS_DIFFER = {"Falcon (multi-query, ALiBi)"}  # transformers 5.24 scales ALiBi once more for SDPA


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_an_architecture(name: str) -> None:
    model, inputs = build(name)
    with torch.inference_mode():
        expected = model(**inputs)
    captured = capture_calls(model, **inputs)
    assert_identical(captured.output, expected)
    assert_weights_are_the_models(inputs, captured, name)
    for call in captured.calls:
        assert recomputed_difference(call) < 1e-5, (call.name, call.notes)
        assert_trace(call)
    assert_contributions(model, inputs, captured)


def assert_identical(output: Any, expected: Any) -> None:
    for key, value in expected.items():
        if isinstance(value, Tensor):
            assert torch.equal(output[key], value), key


def assert_weights_are_the_models(inputs: dict[str, Tensor], captured: CapturedForward, name: str) -> None:
    """Against what the same model returns itself on its eager backend; there the capture finds the same calls."""
    model, _ = build(name, backend="eager")
    with torch.inference_mode():
        output = model(**inputs, output_attentions=True)
    again = capture_calls(model, **inputs)
    assert [call.name for call in again.calls] == [call.name for call in captured.calls]
    compared = 0
    for field, kind in FIELDS:
        attentions = [a for a in getattr(output, field, None) or () if a is not None]
        stack = {"encoder_attentions": "encoder", "decoder_attentions": "decoder"}.get(field)
        if (name, field) in UNLIKE:
            continue
        for run in (again, captured) if name not in BACKENDS_DIFFER else (again,):
            calls = [c for c in run.calls if c.kind == kind and stack in (None, c.stream)]
            for call, weights in zip(RETURNED.get(name, list)(calls), attentions, strict=False):
                expected = weights.softmax(-1) if (name, field) in RAW else weights
                ours = all_weights(call)
                assert (ours - expected.reshape(ours.shape)).abs().max() < 1e-5, (field, call.layer)
                compared += 1
    assert compared or name in SILENT, "no weights to compare with"


def all_weights(call: AttentionCall) -> Tensor:
    """B × H × N × M."""
    return torch.stack(
        [torch.stack([call.weights(h, b) for h in range(call.heads)]) for b in range(call.batches)]
    )


def assert_trace(call: AttentionCall) -> None:
    """The trace of one head: its weights are the call's, and sampled cells of each step are explained."""
    choose = random.Random(call.layer)
    head, batch = choose.randrange(call.heads), choose.randrange(call.batches)
    trace = call.trace(head, batch)
    assert (trace["weights"].value[0] - call.weights(head, batch)).abs().max() < 1e-5
    apart = torch.stack([call.written_output(h, batch) for h in range(call.heads)])
    torch.testing.assert_close(all_outputs(call, batch), apart, rtol=1e-4, atol=1e-5)
    assert_heads_together(call, batch)
    assert_sampled_cells(trace, choose)


def assert_heads_together(call: AttentionCall, batch: int) -> None:
    """Several heads at once have the weights of each, also where the heads do not begin with the first."""
    for heads in (range(call.heads), range(call.heads // 2, call.heads), range(call.heads - 1)):
        for place, head in enumerate(heads):
            together = call.weights_of_heads(heads, batch)[place]
            torch.testing.assert_close(
                together, call.weights(head, batch), rtol=1e-4, atol=1e-5, equal_nan=True
            )


def assert_sampled_cells(trace: Trace, choose: random.Random, count: int = 4) -> None:
    for step in trace.steps:
        for _ in range(count):
            assert_explains(trace, step.name, tuple(choose.randrange(size) for size in step.value.shape))


def assert_contributions(
    model: PreTrainedModel, inputs: dict[str, Tensor], captured: CapturedForward
) -> None:
    """What the heads write adds up to what the output layer made, less its bias."""
    made: dict[int, list[Tensor]] = {}

    def keep(module: nn.Module, _: object, out: Tensor) -> None:
        made.setdefault(id(module), []).append(out.detach())

    modules = {id(call.output_layer): call.output_layer for call in captured.calls}
    handles = [module.register_forward_hook(keep) for module in modules.values() if module is not None]
    with torch.inference_mode():
        model(**inputs)
    for handle in handles:
        handle.remove()
    for call in captured.calls:
        module = call.output_layer
        if (
            module is None or id(module) not in made
        ):  # nn.MultiheadAttention uses the weight without calling the layer
            continue
        bias = matrix(module)[1]
        total = sum(call.contribution(head) for head in range(call.heads)) + (0 if bias is None else bias)
        actual = made[id(module)].pop(0).reshape(call.batches, call.queries, -1)[0]
        assert (total - actual).abs().max() < 5e-6 * actual.abs().max().clamp_min(1), call.name
