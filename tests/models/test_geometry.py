"""A dot product is two lengths and an angle, and the pictures of it are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.geometry import around_query, spanned_plane, take_apart


def random(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@given(seed=st.integers(0, 999), size=st.integers(1, 70))
def test_a_product_is_two_lengths_and_an_angle(seed: int, size: int) -> None:
    q, k = random(seed, 2, size)
    found = take_apart(q, k)
    expected = sum(float(a) * float(b) for a, b in zip(q, k, strict=True))
    assert found.dot == pytest.approx(expected, abs=1e-12)
    assert found.query * found.key * found.cosine == pytest.approx(expected, abs=1e-12)
    assert found.query == pytest.approx(np.linalg.norm(q.numpy()))
    assert found.cosine == pytest.approx(float(torch.nn.functional.cosine_similarity(q, k, dim=0)), abs=1e-12)


def test_angles_by_hand() -> None:
    east, north = torch.tensor([2.0, 0.0]), torch.tensor([0.0, 3.0])
    assert take_apart(east, north).degrees == pytest.approx(90)
    assert take_apart(east, east + east).degrees == pytest.approx(0, abs=1e-5)
    assert take_apart(east, -east).dot == -4
    assert take_apart(torch.tensor([1.0, 1.0]), east).degrees == pytest.approx(45)
    assert math.isnan(take_apart(east, torch.zeros(2)).degrees)


@given(seed=st.integers(0, 999), size=st.integers(1, 70))
def test_the_plane_of_two_vectors_keeps_both_lengths_and_their_product(seed: int, size: int) -> None:
    q, k = random(seed, 2, size)
    flat = spanned_plane(q, k)
    torch.testing.assert_close(
        flat @ flat.T, torch.stack((q, k)) @ torch.stack((q, k)).T, rtol=1e-9, atol=1e-9
    )
    assert flat[0, 1] == 0
    assert flat[1, 1] >= 0


@given(seed=st.integers(0, 999), size=st.integers(1, 40), count=st.integers(1, 20))
def test_keys_around_a_query_keep_lengths_and_products(seed: int, size: int, count: int) -> None:
    q, keys = random(seed, size), random(seed + 1, count, size)
    points = around_query(q, keys)
    torch.testing.assert_close(points[:, 0] * q.norm(), keys @ q, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(points.norm(dim=-1), keys.norm(dim=-1), rtol=1e-9, atol=1e-9)


def test_in_two_dimensions_nothing_is_lost() -> None:
    q, keys = random(3, 2), random(4, 6, 2)
    points = around_query(q, keys)
    torch.testing.assert_close(points @ points.T, keys @ keys.T)


def test_a_query_without_length() -> None:
    points = around_query(torch.zeros(3), torch.eye(3))
    torch.testing.assert_close(points.norm(dim=-1), torch.ones(3, dtype=torch.float64))
