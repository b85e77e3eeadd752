"""A head that continues what was seen before."""

from __future__ import annotations

import pytest
import torch

from models.induction import induction_scores


def test_by_hand() -> None:
    ids = [3, 4, 3, 9, 3, 9]
    weights = torch.zeros(1, 6, 6)
    weights[0, 1, 0] = weights[0, 3, 0] = 1  # 4 and 9 were not seen before: they do not count
    weights[0, 2, 1] = 0.5  # the 3 was followed by the 4
    weights[0, 4, 1], weights[0, 4, 3] = 0.25, 0.5  # by the 4 and by the 9
    weights[0, 5, 4] = 0.75  # the 9 was followed by the last 3
    assert induction_scores(weights, ids).tolist() == [pytest.approx((0.5 + 0.75 + 0.75) / 3)]


def test_even_attention_over_a_repeat() -> None:
    weights = torch.ones(3, 6, 6).tril() / torch.arange(1, 7)[:, None]
    expected = (1 / 4 + 1 / 5 + 1 / 6) / 3
    assert induction_scores(weights, [0, 1, 2] * 2).tolist() == [pytest.approx(expected)] * 3


def test_without_a_repeat_there_is_nothing_to_continue() -> None:
    assert induction_scores(torch.eye(4)[None], [1, 2, 3, 4]).tolist() == [0.0]
    assert induction_scores(torch.full((1, 5, 5), 0.2), [1, 2, 1, 2, 5]).tolist() == [0.0]  # two are too few


def test_sizes_have_to_agree() -> None:
    with pytest.raises(ValueError, match="3 × 3"):
        induction_scores(torch.eye(4)[None], [1, 2, 3])
