from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.positions import frequency, learned, sinusoidal


@given(length=st.integers(0, 40), d_model=st.integers(1, 33), base=st.sampled_from([10_000.0, 100.0, 2.0]))
def test_equals_the_formula_of_the_paper(length: int, d_model: int, base: float) -> None:
    encoding = sinusoidal(length, d_model, base=base, dtype=torch.float64)
    assert encoding.shape == (length, d_model)
    for position in range(length):
        for i in range((d_model + 1) // 2):
            angle = position / base ** (2 * i / d_model)
            assert encoding[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-12)
            if 2 * i + 1 < d_model:
                assert encoding[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-12)


def test_far_positions_keep_their_precision() -> None:
    encoding = sinusoidal(4097, 512)
    assert encoding[4096, 0].item() == pytest.approx(math.sin(4096), abs=1e-7)
    assert encoding.dtype == torch.float32


def test_similarity_depends_on_distance_only() -> None:
    encoding = sinusoidal(64, 16, dtype=torch.float64)
    dots = encoding @ encoding.T
    torch.testing.assert_close(dots[3, 10], dots[40, 47])


def test_frequencies_come_in_pairs() -> None:
    assert frequency(0, 4) == frequency(1, 4) == 1
    assert frequency(2, 4) == frequency(3, 4) == pytest.approx(0.01)


@pytest.mark.parametrize(("length", "d_model", "base"), [(-1, 4, 1e4), (3, 0, 1e4), (3, 4, 0.0)])
def test_impossible_sizes_are_refused(length: int, d_model: int, base: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        sinusoidal(length, d_model, base=base)


def test_a_learned_table_ends_where_training_ended() -> None:
    table = torch.arange(6.0).reshape(3, 2)
    assert learned(table, 2).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="received 4"):
        learned(table, 4)
