"""Outputs side by side: closed forms, invariants, odd numbers."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.interventions.compare import compare, log_probabilities, moved, order_of, ranking

LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=3, max_size=20)


def logits(*probabilities: float) -> torch.Tensor:
    return torch.tensor(probabilities).log()


def test_a_case_worked_by_hand() -> None:
    found = compare(logits(0.5, 0.25, 0.25), logits(0.25, 0.25, 0.5), most=1)
    assert [candidate.token for candidate in found.candidates] == [0, 2]
    first, last = found.candidates
    assert (first.rank_before, first.rank_after, first.rise) == (0, 1, -1)
    assert (last.rank_before, last.rank_after, last.rise) == (2, 0, 2)
    assert (first.before, first.after) == pytest.approx((0.5, 0.25))
    assert (first.bits, last.bits) == pytest.approx((-1, 1))
    assert found.divergence == pytest.approx(0.5 * 1 + 0.25 * 0 - 0.25 * 1)
    assert (found.top_before.token, found.top_after.token) == (0, 2)


def test_a_watched_token_is_among_the_candidates() -> None:
    found = compare(logits(0.6, 0.3, 0.1), logits(0.6, 0.3, 0.1), most=1, watched=2)
    assert [candidate.token for candidate in found.candidates] == [0, 2]


@given(LOGITS)
def test_nothing_changed(values: list[float]) -> None:
    found = compare(torch.tensor(values), torch.tensor(values))
    assert found.divergence == 0
    assert all(c.bits == 0 and c.rise == 0 and c.before == c.after for c in found.candidates)


@given(st.data())
def test_what_always_holds(data: st.DataObject) -> None:
    before = torch.tensor(data.draw(LOGITS))
    after = torch.tensor(
        data.draw(st.lists(st.floats(-30, 30, width=32), min_size=len(before), max_size=len(before)))
    )
    found = compare(before, after, most=3)
    kl = torch.nn.functional.kl_div(
        log_probabilities(after), log_probabilities(before), log_target=True, reduction="sum"
    )
    assert found.divergence == pytest.approx(max(0.0, float(kl)) / math.log(2), abs=1e-9)
    assert sorted(ranking(before).tolist()) == list(range(len(before)))
    assert [int(before[token]) for token in order_of(before)[:1]] == [int(before.max())]
    for c in found.candidates:
        assert c.after == pytest.approx(c.before * 2**c.bits, rel=1e-6, abs=1e-12)


def test_tokens_that_are_impossible() -> None:
    never = torch.tensor([0.0, 1.0, -math.inf])
    found = compare(never, never, most=3)
    assert found.divergence == 0
    assert found.candidates[-1].bits == 0
    gone = compare(torch.tensor([0.0, 1.0, 2.0]), never, most=3)
    assert gone.divergence == math.inf
    assert gone.top_before.bits == -math.inf


def test_equal_logits_keep_their_order() -> None:
    assert order_of(torch.zeros(4)).tolist() == [0, 1, 2, 3]


def test_vectors_that_moved() -> None:
    before = torch.tensor([[1.0, 0], [1, 0], [3, 4], [1, 0], [0, 0]])
    after = torch.tensor([[1.0, 0], [0, 1], [6, 8], [-1, 0], [0, 0]])
    found = moved(before, after)
    assert found.turned.tolist() == pytest.approx([0, 1, 0, 2, 0])
    assert found.length.tolist() == pytest.approx([0, math.sqrt(2), 1, 2, 0])
