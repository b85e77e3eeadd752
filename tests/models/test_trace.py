from __future__ import annotations

import pytest
import torch

from models.attention import MultiHeadAttention
from models.masks import causal
from tests.models.test_explain import make_trace

ORDER = (
    "tokens", "embedding", "position", "input", "query", "key", "value", "scores", "scaled", "masked", "weights",
    "head_output", "concat", "output",
)  # fmt: skip


def test_steps_stand_in_order_with_their_shapes() -> None:
    trace = make_trace(d_model=8, heads=2, d_k=3, d_v=5, mask=True)
    assert trace.names == ORDER
    shapes = {step.name: tuple(step.value.shape) for step in trace.steps}
    n = 6
    assert shapes["tokens"] == (n,)
    assert shapes["embedding"] == shapes["position"] == shapes["input"] == shapes["output"] == (n, 8)
    assert shapes["query"] == shapes["key"] == (2, n, 3)
    assert shapes["value"] == shapes["head_output"] == (2, n, 5)
    assert shapes["scores"] == shapes["scaled"] == shapes["masked"] == shapes["weights"] == (2, n, n)
    assert shapes["concat"] == (n, 10)
    assert all(len(step.axes) == step.value.ndim for step in trace.steps)


def test_inputs_name_steps_or_parameters() -> None:
    trace = make_trace()
    for step in trace.steps:
        for name in step.inputs:
            assert trace.tensor(name).numel()


def test_cross_attention_is_targets_by_sources() -> None:
    trace = make_trace(context="我喜欢苹果")
    assert trace["weights"].value.shape == (2, 6, 3)
    assert trace.labels("key") == ("我", "喜欢", "苹果")
    assert trace.labels("query")[0] == "The"
    assert trace["key"].inputs == ("context", "w_k")


def test_fully_masked_rows_are_flagged_and_zero() -> None:
    trace = make_trace(mask=True, hidden=(0,))
    assert trace.empty_rows is not None
    assert trace.empty_rows[:, 0].all()
    assert not trace.empty_rows[:, 1:].any()
    assert trace["weights"].value[:, 0].abs().sum() == 0
    assert not trace["weights"].value.isnan().any()


def test_fast_and_exact_agree() -> None:
    module, x = MultiHeadAttention(32, 4), torch.randn(9, 32, generator=torch.Generator().manual_seed(0))
    exact, fast = module.trace(x, exact=True), module.trace(x, exact=False)
    for step in exact.steps:
        torch.testing.assert_close(fast[step.name].value, step.value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("x", "mask"),
    [((3, 5), None), ((3,), None), ((0, 4), None), ((3, 4), (3, 2)), ((3, 4), (2, 3))],
)
def test_wrong_shapes_are_named(x: tuple[int, ...], mask: tuple[int, ...] | None) -> None:
    with pytest.raises(ValueError, match="received"):
        MultiHeadAttention(4, 2).trace(torch.zeros(x), mask=None if mask is None else torch.ones(mask).bool())


def test_a_float_mask_and_a_temperature_of_zero_are_refused() -> None:
    module, x = MultiHeadAttention(4, 2), torch.zeros(3, 4)
    with pytest.raises(ValueError, match="boolean mask"):
        module.trace(x, mask=causal(3).float())
    with pytest.raises(ValueError, match="temperature"):
        module.trace(x, temperature=0.0)
