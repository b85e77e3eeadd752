"""Weights between whole words."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.pretrained.words import Word, consecutive, merge_words, word_numbers


def test_sum_over_keys_and_mean_over_queries() -> None:
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.2, 0.8, 0.0], [0.5, 0.1, 0.4]])
    merged = merge_words(weights, [[0], [1, 2]])
    assert torch.allclose(merged, torch.tensor([[1.0, 0.0], [0.35, 0.65]]))


def test_cross_attention_has_words_of_its_own_on_each_side() -> None:
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    merged = merge_words(weights, [Word("ab", (0, 1))], [Word("x", (0,)), Word("yz", (1, 2))])
    assert torch.allclose(merged, torch.tensor([[0.2, 0.8]]))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 1000))
def test_rows_keep_their_sum(lengths: list[int], seed: int) -> None:
    count = sum(lengths)
    torch.manual_seed(seed)
    weights = torch.rand(2, count, count).softmax(-1)
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    groups = [range(start, start + length) for start, length in zip(starts, lengths, strict=True)]
    merged = merge_words(weights, groups)
    assert merged.shape == (2, len(lengths), len(lengths))
    assert torch.allclose(merged.sum(-1), torch.ones(2, len(lengths)), atol=1e-5)
    for i, rows in enumerate(groups):  # the definition, in loops
        for j, columns in enumerate(groups):
            looks = [sum(float(weights[0, q, k]) for k in columns) for q in rows]
            assert float(merged[0, i, j]) == pytest.approx(sum(looks) / len(looks), abs=1e-5)


@pytest.mark.parametrize("groups", [[[0]], [[0, 1], [1, 2]], [[0, 1, 2], []], [[0, 1, 3]]])
def test_groups_that_are_no_partition_are_refused(groups: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="3 tokens once"):
        merge_words(torch.eye(3), groups)


def test_words_are_those_of_the_engine() -> None:
    text = "didn't 我喜欢苹果 go."
    spans = [(0, 4), (4, 6), (7, 8), (8, 9), (9, 10), (10, 12), (12, 13), (12, 15), (15, 16), None]
    assert word_numbers(text, spans) == [0, 0, 1, 2, 2, 3, None, 4, 5, None]


def test_a_token_over_several_words_belongs_to_the_first() -> None:
    assert word_numbers("我喜欢", [(0, 3)]) == [0]


def test_only_neighbours_are_grouped() -> None:
    assert consecutive([None, 1, 1, None, None, 2, 1]) == [(0,), (1, 2), (3,), (4,), (5,), (6,)]


def test_a_row_that_is_not_a_number_stays_alone() -> None:
    weights = torch.tensor([[1.0, 0.0, 0.0], [math.nan, math.nan, math.nan], [0.5, 0.1, 0.4]])
    for groups, broken in (([[0, 2], [1]], 1), ([[0], [1, 2]], 1), ([[0, 1], [2]], 0)):
        merged = merge_words(weights, groups)
        assert merged.isnan().all(-1).tolist() == [row == broken for row in range(2)]
        assert not merged[1 - broken].isnan().any()
