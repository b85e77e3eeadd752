"""The statement behind √d_k, measured; and the measuring itself against closed forms, loops and autograd."""

from __future__ import annotations

import math

import pytest
import torch

from models import scaling, steps


@pytest.mark.parametrize(("d_k", "spread"), [(16, 4), (64, 8), (256, 16), (1024, 32)])
def test_scores_spread_with_the_root_of_d_k_and_by_one_when_divided(d_k: int, spread: float) -> None:
    """Vaswani et al. 2017, footnote 4: q·k of independent unit-variance components has variance d_k."""
    draws = scaling.draw(d_k, 12, seed=7)
    plain, scaled = scaling.measure(draws, 1.0), scaling.measure(draws, 1 / math.sqrt(d_k))
    assert plain.spread == pytest.approx(spread, rel=0.04)
    assert scaled.spread == pytest.approx(1, rel=0.04)
    assert scaling.expected_spread(d_k, 1.0) == spread
    assert scaling.expected_spread(d_k, 1 / math.sqrt(d_k)) == 1


def test_softmax_saturates_without_scaling_and_its_gradient_vanishes() -> None:
    sizes = (16, 64, 256, 1024)
    plain = [scaling.measure(scaling.draw(d_k, 12, seed=7), 1.0) for d_k in sizes]
    scaled = [scaling.measure(scaling.draw(d_k, 12, seed=7), d_k**-0.5) for d_k in sizes]
    assert [m.largest.middle for m in plain] == sorted(m.largest.middle for m in plain)
    assert plain[-1].largest.middle > 0.999
    assert plain[-1].entropy.middle < 0.01
    assert plain[-1].jacobian.middle < 1e-3
    assert plain[-1].gradient.middle < 0.01 < 0.2 < scaled[-1].gradient.middle
    for name in ("largest", "entropy", "jacobian", "gradient"):  # with scaling d_k does not matter
        middles = [getattr(m, name).middle for m in scaled]
        assert max(middles) / min(middles) < 1.2


@pytest.mark.parametrize(("keys", "seed"), [(2, 0), (12, 7), (64, 3)])
def test_a_larger_d_k_lengthens_the_same_vectors(keys: int, seed: int) -> None:
    """So a score grows by one product per dimension, and the picture changes step by step while the knob is turned."""
    longest = scaling.draw(40, keys, seed)
    for d_k in (1, 2, 16, 39):
        shorter = scaling.draw(d_k, keys, seed)
        assert shorter.query.tolist() == longest.query[:, :d_k].tolist()
        assert shorter.key.tolist() == longest.key[..., :d_k].tolist()
        assert shorter.value.tolist() == longest.value.tolist()
        product = longest.query[:, None, d_k] * longest.key[..., d_k]
        grown = scaling.dot_product_rows(scaling.draw(d_k + 1, keys, seed), 1.0)
        torch.testing.assert_close(
            grown - scaling.dot_product_rows(shorter, 1.0), product, rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_the_row_that_is_shown_is_typical_at_every_size(seed: int) -> None:
    sizes = (4, 16, 64, 256)
    row = scaling.typical_row(sizes, 12, seed)
    for d_k in sizes:
        largest = steps.softmax(scaling.dot_product_rows(scaling.draw(d_k, 12, seed), 1.0)).amax(-1)
        share = float((largest < largest[row]).double().mean())
        assert 0.1 < share < 0.9


@pytest.mark.parametrize("d_k", [1, 7, 64])
def test_dividing_is_a_temperature(d_k: int) -> None:
    draws, root = scaling.draw(d_k, 9, seed=1), math.sqrt(d_k)
    hot = scaling.measure(draws, 1.0, temperature=root)
    divided = scaling.measure(draws, 1 / root)
    for name in ("largest", "entropy", "gradient"):
        assert getattr(hot, name) == pytest.approx(getattr(divided, name), rel=1e-5)


def test_rows_are_dot_products_with_the_query_s_own_keys() -> None:
    draws = scaling.draw(5, 3, seed=2, queries=4)
    rows = scaling.dot_product_rows(draws, 0.5)
    for r in range(4):
        for j in range(3):
            q, k = draws.query[r].tolist(), draws.key[r, j].tolist()
            assert float(rows[r, j]) == pytest.approx(
                0.5 * sum(a * b for a, b in zip(q, k, strict=True)), rel=1e-5
            )


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_the_jacobian_is_autograd_s(temperature: float) -> None:
    scores = torch.tensor([0.3, -1.0, 2.0, 0.0], dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s / temperature, -1), scores)
    found = scaling.softmax_jacobian(steps.softmax(scores, temperature), temperature)
    torch.testing.assert_close(found, expected)


def test_the_jacobian_is_zero_where_one_key_has_all() -> None:
    assert not scaling.softmax_jacobian(torch.tensor([0.0, 1.0, 0.0])).any()


@pytest.mark.parametrize(("scale", "temperature"), [(1.0, 1.0), (0.25, 0.5)])
def test_the_gradient_at_q_is_the_closed_form_and_a_finite_difference(
    scale: float, temperature: float
) -> None:
    drawn = scaling.draw(6, 4, seed=3, queries=2)
    draws = scaling.Draws(drawn.query.double(), drawn.key.double(), drawn.value.double())
    found = scaling.query_gradient(draws, scale, temperature)
    torch.testing.assert_close(
        scaling.query_gradient(drawn, scale, temperature).double(), found, rtol=1e-4, atol=1e-6
    )
    key, value = draws.key, draws.value

    def output(query: torch.Tensor) -> torch.Tensor:  # R
        scores = (query[:, None, :] * key).sum(-1) * scale / temperature
        return (torch.softmax(scores, -1) * value).sum(-1)

    weights = torch.softmax((draws.query.double()[:, None] * key).sum(-1) * scale / temperature, -1)
    mean = (weights * value).sum(-1, keepdim=True)
    closed = (
        ((weights * (value - mean))[..., None] * key).sum(-2) * scale / temperature
    )  # Σ w_j (v_j − o) k_j
    torch.testing.assert_close(found, closed)
    for c in range(6):
        step = torch.zeros(2, 6, dtype=torch.float64)
        step[:, c] = 1e-5
        slope = (output(draws.query.double() + step) - output(draws.query.double() - step)) / 2e-5
        torch.testing.assert_close(found[:, c], slope, rtol=1e-5, atol=1e-8)


def test_entropy_and_largest_weight_of_even_scores() -> None:
    """With keys of length 0 every weight is 1/M: entropy ln M, and no gradient."""
    draws = scaling.draw(3, 8, seed=0, queries=5)
    measured = scaling.measure(scaling.Draws(draws.query, torch.zeros_like(draws.key), draws.value), 1.0)
    assert measured.largest == pytest.approx((1 / 8,) * 3)
    assert measured.entropy == pytest.approx((math.log(8),) * 3)
    assert measured.jacobian == pytest.approx((math.sqrt(7) / 8,) * 3)  # ‖I/M − 11ᵀ/M²‖ = √(M−1)/M
    assert measured.gradient == (0, 0, 0)


def test_the_same_seed_draws_the_same() -> None:
    first, again, other = scaling.draw(8, 4, 5), scaling.draw(8, 4, 5), scaling.draw(8, 4, 6)
    assert torch.equal(first.key, again.key)
    assert not torch.equal(first.key, other.key)


@pytest.mark.parametrize("sizes", [(0, 4), (4, 0), (-1, 1)])
def test_sizes_below_one_are_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        scaling.draw(*sizes, seed=0)
