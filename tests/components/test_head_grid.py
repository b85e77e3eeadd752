"""How weights become the bytes of the small pictures."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from components.head_grid import (
    HIGH,
    LOW,
    MASKED,
    NOT_A_NUMBER,
    PADDED,
    ZERO,
    Link,
    encode_heads,
    gamma,
    strongest_links,
)

Weights = npt.NDArray[np.float32]


@given(arrays.arrays(np.float32, (2, 5, 5), elements=some.floats(0, 1, width=32)))
def test_bytes_give_back_the_weights(weights: Weights) -> None:
    codes = encode_heads(weights)
    back = ((codes.astype(float) - LOW) / (HIGH - LOW)).clip(0) ** (1 / gamma(5))
    # half a step of the scale, carried through the power
    step = 0.5 / (HIGH - LOW)
    tints = weights.astype(float) ** gamma(5)
    low, high = (tints - step).clip(0) ** (1 / gamma(5)), (tints + step) ** (1 / gamma(5))
    assert (back >= low - 1e-6).all()
    assert (back <= high + 1e-6).all()
    assert (codes[weights == 0] == ZERO).all()
    assert (codes[weights > 0] >= LOW).all()


@pytest.mark.parametrize("keys", [2, 3, 10, 64, 512])
def test_even_attention_has_the_same_tint_at_every_length(keys: int) -> None:
    tint = (1 / keys) ** gamma(keys)
    assert tint == pytest.approx(0.16, abs=1e-6) or gamma(keys) in (0.25, 1.0)


def test_gamma_of_one_key() -> None:
    assert gamma(1) == 1.0


def test_each_look_has_a_code_of_its_own() -> None:
    weights = np.array([[[0.0, 0.5, math.nan, 0.0, 0.0]]])
    mask = np.array([[True, True, True, False, False]])
    padded = np.array([[False, False, False, False, True]])
    codes = encode_heads(weights, mask, padded)[0, 0]
    assert [codes[0], codes[2], codes[3], codes[4]] == [ZERO, NOT_A_NUMBER, MASKED, PADDED]
    assert LOW < codes[1] < HIGH


def test_a_mask_per_head() -> None:
    mask = np.array([[[True]], [[False]]])
    assert (encode_heads(np.ones((2, 1, 1)), mask).ravel() == [HIGH, MASKED]).all()


@pytest.mark.parametrize("size", [65, 100, 257])
def test_a_thin_diagonal_survives_the_pooling(size: int) -> None:
    weights = np.full((1, size, size), 0.001, np.float32)
    np.fill_diagonal(weights[0], 0.96)
    codes = encode_heads(weights, side=64)[0]
    assert codes.shape == (64, 64)
    strong = round(LOW + 0.96 ** gamma(size) * (HIGH - LOW))
    assert (np.abs(codes.diagonal().astype(int) - strong) <= 1).all()


@given(some.integers(1, 90), some.integers(1, 90))
def test_pooling_keeps_every_block_s_largest_cell(rows: int, cols: int) -> None:
    weights = np.random.default_rng(rows * 91 + cols).random((2, rows, cols)).astype(np.float32)
    pooled = encode_heads(weights, side=16)
    assert pooled.shape == (2, min(rows, 16), min(cols, 16))
    full = encode_heads(weights, side=1000)
    assert (pooled.max(axis=(1, 2)) == full.max(axis=(1, 2))).all()


def test_strongest_links() -> None:
    weights = np.zeros((3, 2, 3), np.float32)
    weights[0, 1, 2] = 0.75
    weights[1] = math.nan
    weights[1, 0, 1] = 0.5
    assert strongest_links(weights) == [Link(1, 2, 0.75), Link(0, 1, 0.5), None]
