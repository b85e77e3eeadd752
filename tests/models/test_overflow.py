"""Where softmax to the letter breaks, and that the stable form does not."""

from __future__ import annotations

import math

import pytest
import torch

from models import overflow, steps

SCORES = torch.tensor([1.0, 3.0, -2.0, 0.5])
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def test_small_scores_agree_with_plain_python() -> None:
    exponentials = [math.exp(s) for s in SCORES.tolist()]
    expected = [e / sum(exponentials) for e in exponentials]
    found = overflow.both(SCORES)
    for weights in (found.naive, found.stable, torch.softmax(SCORES, -1), steps.softmax(SCORES)):
        assert weights.tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_more_than_the_limit_is_infinite(dtype: torch.dtype) -> None:
    limit = overflow.limit(dtype)
    inside, outside = (torch.tensor([0.0, limit + d]).to(dtype) for d in (-1.0, 1.0))
    assert overflow.naive_softmax(inside).isfinite().all()
    broken = overflow.naive_softmax(outside)
    assert broken[1].isnan()  # ∞ / ∞
    assert broken[0] == 0  # 1 / ∞
    assert overflow.stable_softmax(outside).tolist() == pytest.approx([0, 1], abs=1e-4)


def test_known_limits() -> None:
    assert overflow.limit(torch.float32) == pytest.approx(88.7228, abs=1e-4)
    assert overflow.limit(torch.float16) == pytest.approx(11.0899, abs=1e-4)


def test_too_small_is_as_bad_as_too_large() -> None:
    found = overflow.both(SCORES - 200)
    assert found.naive_sum == 0
    assert found.naive.isnan().all()  # 0 / 0
    torch.testing.assert_close(found.stable, torch.softmax(SCORES, -1))


@pytest.mark.parametrize("added", [-200.0, 100.0, 1e4])
def test_a_number_added_to_every_score_changes_nothing(added: float) -> None:
    torch.testing.assert_close(
        overflow.stable_softmax(SCORES + added), torch.softmax(SCORES, -1), atol=1e-3, rtol=1e-3
    )
