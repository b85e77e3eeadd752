"""The compared layers against what they should compute."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from models.cost import Sizes
from models.layers import MEASURED, Recurrent, RestrictedAttention, SelfAttention, layer


@given(some.integers(1, 20), some.integers(1, 12))
def test_restricted_attention_is_attention_under_a_band(length: int, neighbourhood: int) -> None:
    torch.manual_seed(length * 100 + neighbourhood)
    module = RestrictedAttention(4, neighbourhood).double()
    x = torch.randn(2, length, 4, dtype=torch.float64)
    query, key, value = module.project_in(x).chunk(3, -1)
    position = torch.arange(length)
    near = (position[:, None] - position).abs() <= neighbourhood // 2
    mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=near)
    torch.testing.assert_close(module(x), module.project_out(mixed))


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("length", [1, 5, 33])
def test_every_layer_turns_n_vectors_into_n(name: str, length: int) -> None:
    x = torch.randn(1, length, 8)
    assert layer(name, Sizes(length, 8, 3, 4))(x).shape == x.shape


def test_fused_attention_gives_the_same() -> None:
    kept, fused = SelfAttention(8, weights=True).eval(), SelfAttention(8, weights=False).eval()
    fused.load_state_dict(kept.state_dict())
    x = torch.randn(1, 12, 8)
    with torch.inference_mode():
        torch.testing.assert_close(kept(x), fused(x), rtol=1e-4, atol=1e-5)


def test_a_recurrent_step_by_hand() -> None:
    module = Recurrent(3, gated=False, gain=2.0).double()
    weights = dict(module.cells.named_parameters())
    x = torch.randn(1, 4, 3, dtype=torch.float64)
    state = torch.zeros(3, dtype=torch.float64)
    for t in range(4):
        state = torch.tanh(
            weights["weight_ih_l0"] @ x[0, t]
            + weights["bias_ih_l0"]
            + weights["weight_hh_l0"] @ state
            + weights["bias_hh_l0"]
        )
        torch.testing.assert_close(module(x)[0, t], state)
