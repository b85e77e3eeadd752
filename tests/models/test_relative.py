from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.t5.modeling_t5 import T5Attention

from models.relative import alibi, alibi_slopes, relative_bias, relative_buckets, rotary


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@given(
    shift=st.integers(0, 4000),
    size=st.sampled_from([2, 8, 64]),
    interleaved=st.booleans(),
    seed=st.integers(0, 99),
)
def test_rotated_scores_depend_on_the_distance_alone(
    shift: int, size: int, interleaved: bool, seed: int
) -> None:
    q, k = random(5, size, seed=seed), random(5, size, seed=seed + 100)
    places = torch.arange(5)
    here = rotary(q, places, interleaved=interleaved) @ rotary(k, places, interleaved=interleaved).T
    there = (
        rotary(q, places + shift, interleaved=interleaved)
        @ rotary(k, places + shift, interleaved=interleaved).T
    )
    torch.testing.assert_close(here, there, rtol=1e-8, atol=1e-8)


@given(size=st.sampled_from([2, 6, 32]), interleaved=st.booleans())
def test_rotation_keeps_lengths_and_leaves_the_first_position(size: int, interleaved: bool) -> None:
    x = random(7, size)
    turned = rotary(x, interleaved=interleaved)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(turned[0], x[0])


def test_a_quarter_turn_by_hand() -> None:
    """Position 1 turns the first pair by one radian."""
    turned = rotary(torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64))
    torch.testing.assert_close(turned[1], torch.tensor([math.cos(1), math.sin(1)], dtype=torch.float64))


def test_both_layouts_are_the_same_rotation() -> None:
    x = random(4, 6)
    order = torch.tensor([0, 2, 4, 1, 3, 5])  # interleaved pairs laid out in halves
    torch.testing.assert_close(rotary(x)[:, order], rotary(x[:, order], interleaved=False))


def test_slopes_of_the_paper() -> None:
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert alibi_slopes(16)[:2].tolist() == pytest.approx([2**-0.5, 2**-1])
    # twelve heads: the eight of 8, then every other of 16
    assert alibi_slopes(12)[8:].tolist() == pytest.approx([2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])


@given(heads=st.integers(1, 40))
def test_any_number_of_heads_has_its_slopes(heads: int) -> None:
    slopes = alibi_slopes(heads)
    assert len(slopes) == heads
    assert len(set(slopes.tolist())) == heads
    assert ((slopes > 0) & (slopes <= 1)).all()


def test_alibi_is_minus_slope_times_distance() -> None:
    bias = alibi(2, 3)
    assert bias.shape == (2, 3, 3)
    assert bias[0, 2].tolist() == pytest.approx([-2 / 16, -1 / 16, 0])


@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize(("buckets", "furthest"), [(32, 128), (16, 64), (8, 20)])
def test_buckets_are_those_of_transformers(buckets: int, furthest: int, both_ways: bool) -> None:
    n = 300
    distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
    expected = T5Attention._relative_position_bucket(distance, both_ways, buckets, furthest)
    ours = relative_buckets(n, buckets=buckets, furthest=furthest, both_ways=both_ways)
    assert torch.equal(ours, expected)


def test_a_bias_is_looked_up_by_bucket() -> None:
    table = torch.arange(64.0).reshape(32, 2)
    bias = relative_bias(table, 4, 6)
    found = relative_buckets(4, 6)
    assert bias.shape == (2, 4, 6)
    assert all(bias[h, i, j] == table[found[i, j], h] for h in range(2) for i in range(4) for j in range(6))


@pytest.mark.parametrize(
    "call",
    [
        lambda: rotary(torch.zeros(2, 3)),
        lambda: rotary(torch.zeros(2, 4), torch.arange(3)),
        lambda: alibi_slopes(0),
        lambda: relative_buckets(3, buckets=2),
        lambda: relative_buckets(3, furthest=4),
    ],
)
def test_impossible_sizes_are_refused(call: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()  # type: ignore[operator]
