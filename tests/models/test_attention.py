"""The engine against torch, against a naive loop and against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the name the field uses
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from models.attention import MultiHeadAttention, head_size, scaled_dot_product_attention
from models.errors import InputError
from models.masks import causal, padding, sliding_window
from tests.models.oracles import naive_attention

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12}


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def close(actual: Tensor, expected: Tensor, dtype: torch.dtype) -> None:
    """Relative to the size of the numbers summed: a sum that cancels to nearly 0 has no relative error to speak of."""
    bound = TOLERANCE[dtype]
    torch.testing.assert_close(
        actual, expected, rtol=bound, atol=bound * float(expected.detach().abs().max())
    )


def mask_named(name: str, n: int, m: int) -> Tensor | None:
    return {
        "none": None,
        "causal": causal(n, m),
        "padding": padding(m, {m - 1} if m > 1 else set()).expand(n, m),
        "window": sliding_window(n, 2, m),
    }[name]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "window"])
@pytest.mark.parametrize(
    ("n", "m", "k", "v"), [(1, 1, 1, 1), (5, 5, 4, 4), (3, 3, 8, 2), (4, 4, 2, 16), (17, 17, 64, 64)]
)
def test_equals_torch(n: int, m: int, k: int, v: int, mask: str, dtype: torch.dtype) -> None:
    q, key, value = (
        random(2, 3, rows, d, seed=s, dtype=dtype) for s, (rows, d) in enumerate([(n, k), (m, k), (m, v)])
    )
    visible = mask_named(mask, n, m)
    ours = scaled_dot_product_attention(q, key, value, mask=visible)
    close(ours.output, F.scaled_dot_product_attention(q, key, value, attn_mask=visible), dtype)


@pytest.mark.parametrize(("n", "m"), [(1, 7), (6, 2), (1024, 1024)])
def test_equals_torch_for_cross_attention_and_long_input(n: int, m: int) -> None:
    q, k, v = (
        random(2, n, 8, dtype=torch.float32),
        random(2, m, 8, seed=1, dtype=torch.float32),
        random(2, m, 5, seed=2, dtype=torch.float32),
    )
    close(
        scaled_dot_product_attention(q, k, v).output, F.scaled_dot_product_attention(q, k, v), torch.float32
    )


def test_float_mask_hides_and_adds_as_in_torch() -> None:
    q, k, v = random(4, 3), random(4, 3, seed=1), random(4, 3, seed=2)
    mask = random(4, 4, seed=3).masked_fill(~causal(4), -torch.inf)
    ours = scaled_dot_product_attention(q, k, v, mask=mask)
    close(ours.output, F.scaled_dot_product_attention(q, k, v, attn_mask=mask), torch.float64)
    assert torch.equal(ours.biased[0, 1:], ours.scaled[0, 1:])  # nothing finite was added where it is hidden


def test_numbers_worked_out_by_hand() -> None:
    """Scores 0 and 1 (scale 1): the weights are [1, e] / (1 + e)."""
    q, k, v = torch.tensor([[1.0]]), torch.tensor([[0.0], [1.0]]), torch.tensor([[10.0], [20.0]])
    result = scaled_dot_product_attention(q, k, v, scale=1.0)
    e = math.e
    torch.testing.assert_close(result.weights, torch.tensor([[1 / (1 + e), e / (1 + e)]]))
    torch.testing.assert_close(result.output, torch.tensor([[(10 + 20 * e) / (1 + e)]]))


def test_temperature_divides_what_softmax_sees() -> None:
    q, k, v = torch.tensor([[2.0]]), torch.tensor([[0.0], [1.0]]), torch.eye(2)
    result = scaled_dot_product_attention(q, k, v, scale=1.0, temperature=2.0)
    torch.testing.assert_close(result.weights, torch.tensor([[1 / (1 + math.e), math.e / (1 + math.e)]]))
    assert result.scaled.tolist() == [[0.0, 2.0]]


@given(
    n=st.integers(1, 6),
    m=st.integers(1, 6),
    k=st.integers(1, 5),
    v=st.integers(1, 5),
    seed=st.integers(0, 10_000),
    temperature=st.floats(0.1, 5),
    density=st.floats(0, 1),
)
def test_equals_a_naive_loop(
    n: int, m: int, k: int, v: int, seed: int, temperature: float, density: float
) -> None:
    q, key, value = random(n, k, seed=seed), random(m, k, seed=seed + 1), random(m, v, seed=seed + 2)
    mask = torch.rand(n, m, generator=torch.Generator().manual_seed(seed)) < density
    ours = scaled_dot_product_attention(q, key, value, mask=mask, temperature=temperature)
    weights, output = naive_attention(q, key, value, mask, temperature=temperature)
    torch.testing.assert_close(
        ours.weights, torch.tensor(weights, dtype=torch.float64), rtol=1e-12, atol=1e-14
    )
    torch.testing.assert_close(ours.output, torch.tensor(output, dtype=torch.float64), rtol=1e-11, atol=1e-13)
    sums = ours.weights.sum(-1)
    torch.testing.assert_close(sums, (~ours.empty_rows).double(), rtol=1e-12, atol=0)


def test_a_row_without_a_visible_key_is_zero_and_flagged() -> None:
    q = k = v = random(2, 2)
    mask = torch.tensor([[False, False], [True, False]])
    result = scaled_dot_product_attention(q, k, v, mask=mask)
    assert result.weights.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert result.output[0].tolist() == [0.0, 0.0]
    assert result.empty_rows.tolist() == [True, False]


def test_large_scores_do_not_overflow_and_nan_stays_visible() -> None:
    one, large = torch.ones(1, 1), torch.tensor([[1e4], [2e4]])
    assert scaled_dot_product_attention(one, large, torch.eye(2)).weights.tolist() == [[0.0, 1.0]]
    hurt = torch.tensor([[1.0], [math.nan]])
    assert scaled_dot_product_attention(one, hurt, torch.eye(2)).weights.isnan().all()


@pytest.mark.parametrize(
    ("q", "k", "v"), [((2, 3), (2, 4), (2, 3)), ((2, 3), (4, 3), (5, 3)), ((3,), (2, 3), (2, 3))]
)
def test_wrong_shapes_are_named(q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="received"):
        scaled_dot_product_attention(torch.zeros(q), torch.zeros(k), torch.zeros(v))


def test_a_temperature_of_zero_is_refused() -> None:
    x = torch.ones(1, 1)
    with pytest.raises(ValueError, match="temperature"):
        scaled_dot_product_attention(x, x, x, temperature=0)


def as_torch_module(ours: MultiHeadAttention, dtype: torch.dtype) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(ours.d_model, ours.heads, bias=False, batch_first=True, dtype=dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.w_q, ours.w_k, ours.w_v], dim=1).T)
        theirs.out_proj.weight.copy_(ours.w_o.T)
    return theirs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("d_model", "heads", "n", "m"), [(8, 2, 5, 5), (12, 3, 1, 1), (64, 8, 16, 7), (512, 8, 33, 33)]
)
def test_module_equals_torch(d_model: int, heads: int, n: int, m: int, dtype: torch.dtype) -> None:
    ours = MultiHeadAttention(d_model, heads, seed=3).to(dtype)
    x, context = random(n, d_model, dtype=dtype), random(m, d_model, seed=1, dtype=dtype)
    visible = causal(n, m)
    expected, weights = as_torch_module(ours, dtype)(
        x[None], context[None], context[None], attn_mask=~visible, average_attn_weights=False
    )
    close(ours(x, context, visible), expected[0], dtype)
    for exact in (True, False):
        trace = ours.trace(x, context, visible, exact=exact)
        close(trace["weights"].value, weights[0], dtype)
        close(trace["output"].value, expected[0], dtype)


def test_module_batches_and_trains() -> None:
    module = MultiHeadAttention(6, 2, d_k=4, d_v=5, seed=1)
    x = random(3, 4, 6, dtype=torch.float32)
    output = module(x)
    assert output.shape == (3, 4, 6)
    for one, alone in zip(output, x, strict=True):
        torch.testing.assert_close(one, module(alone))
    output.square().sum().backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in module.parameters())


def test_head_h_owns_its_columns() -> None:
    """Changing only head 1's columns of W_Q changes only head 1."""
    module = MultiHeadAttention(6, 3, d_k=2, seed=0)
    x = random(4, 6, dtype=torch.float32)
    before = module.trace(x)["query"].value.clone()
    with torch.no_grad():
        module.w_q[:, 2:4] += 1
    moved = (module.trace(x)["query"].value - before).abs().sum((1, 2))
    assert moved[0] == 0
    assert moved[1] > 0
    assert moved[2] == 0


def test_seeds_decide_the_weights() -> None:
    a, b, c = (
        MultiHeadAttention(8, 2, seed=1),
        MultiHeadAttention(8, 2, seed=1),
        MultiHeadAttention(8, 2, seed=2),
    )
    assert torch.equal(a.w_q, b.w_q)
    assert not torch.equal(a.w_q, c.w_q)
    assert not torch.equal(a.w_q, a.w_k)


def test_sizes() -> None:
    module = MultiHeadAttention(512, 8)
    assert (module.d_k, module.d_v) == (64, 64)
    assert {n: tuple(p.shape) for n, p in module.named_parameters()} == dict.fromkeys(
        ("w_q", "w_k", "w_v", "w_o"), (512, 512)
    )
    with pytest.raises(InputError, match="10 cannot be split evenly over 4") as error:
        head_size(10, 4)
    assert error.value.values["fitting"] == "1, 2, 5, 10"
