"""The choice of the next token: probabilities, greedy, sampled with a seed."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from models.errors import InputError
from models.generation.choice import Rule, candidates, choose, draw, probabilities

numbers = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=40)
temperatures = st.floats(0.05, 5)


@given(numbers, temperatures, st.integers(1, 50))
def test_candidates(values: list[float], temperature: float, count: int) -> None:
    logits = torch.tensor(values)
    found = candidates(logits, temperature, count)
    assert sum(found.probabilities) + found.rest == pytest.approx(1, abs=1e-9)
    assert list(found.probabilities) == sorted(found.probabilities, reverse=True)
    assert len(found.ids) == len(set(found.ids)) == min(count, len(values))
    assert found.others == len(values) - len(found.ids)
    expected = (logits.double() / temperature).softmax(-1)
    for token, probability in zip(found.ids, found.probabilities, strict=True):
        assert probability == pytest.approx(float(expected[token]), abs=1e-12)
    assert min(found.probabilities) * (1 + 1e-9) >= max(
        (float(p) for i, p in enumerate(expected) if i not in found.ids), default=0
    )


@given(numbers, st.integers(0, 9999), st.integers(0, 500))
def test_greedy_is_the_likeliest(values: list[float], seed: int, step: int) -> None:
    logits = torch.tensor(values)
    assert choose(logits, Rule(temperature=2.0, seed=seed), step) == int(logits.argmax())
    assert choose(logits, Rule(), step) == candidates(logits, count=1).ids[0]


def test_greedy_and_the_first_candidate_agree_where_probabilities_cannot_tell() -> None:
    logits = torch.tensor([0.0, 9e-33])
    assert choose(logits, Rule(), 0) == candidates(logits, count=1).ids[0] == 1


@given(st.permutations(range(8)), st.integers(0, 9999), st.integers(0, 500))
def test_the_colder_the_greedier(order: list[int], seed: int, step: int) -> None:
    logits = torch.tensor(order, dtype=torch.float32) * 3
    assert choose(logits, Rule(True, 0.05, seed), step) == int(logits.argmax())


@given(numbers, temperatures, st.integers(0, 9999), st.integers(0, 500))
def test_a_seed_and_a_step_always_choose_the_same(
    values: list[float], temperature: float, seed: int, step: int
) -> None:
    logits, rule = torch.tensor(values), Rule(True, temperature, seed)
    first = choose(logits, rule, step)
    torch.rand(3)  # the global generator has nothing to do with it
    choose(logits, rule, step + 1)
    assert choose(logits, rule, step) == first
    assert probabilities(logits, temperature)[first] > 0


def test_sampled_choices_come_as_often_as_they_are_likely() -> None:
    logits = torch.tensor([2.0, 0.0, 1.0, -1.0])
    expected = (logits / 1.5).softmax(-1)
    counts = Counter(choose(logits, Rule(True, 1.5, seed), step) for seed in range(20) for step in range(200))
    for token, share in enumerate(expected.tolist()):
        assert counts[token] / 4000 == pytest.approx(share, abs=0.03)


def test_draws_are_spread_and_differ() -> None:
    drawn = [draw(seed, step) for seed in range(40) for step in range(40)]
    assert len(set(drawn)) == 1600
    assert all(0 <= u < 1 for u in drawn)
    assert sum(drawn) / 1600 == pytest.approx(0.5, abs=0.03)


def test_what_cannot_be_written_never_is() -> None:
    logits = torch.tensor([-torch.inf, 1.0, -torch.inf, 0.5])
    assert {choose(logits, Rule(True, 1, 3), step) for step in range(60)} == {1, 3}
    assert candidates(logits).probabilities[2:] == (0, 0)


@pytest.mark.parametrize(
    "logits", [torch.tensor([0.0, torch.nan]), torch.tensor([torch.inf, 0.0]), torch.tensor([-torch.inf])]
)
@pytest.mark.parametrize("rule", [Rule(), Rule(sampled=True)])
def test_logits_that_are_no_numbers(logits: Tensor, rule: Rule) -> None:
    with pytest.raises(InputError) as caught:
        choose(logits, rule, 0)
    assert caught.value.key == "generation_not_numbers"


@pytest.mark.parametrize(
    "rule",
    [
        Rule(temperature=0.0),
        Rule(temperature=-1),
        Rule(temperature=9),
        Rule(temperature=float("nan")),
        Rule(seed=-1),
    ],
)
def test_rules_that_cannot_be_followed(rule: Rule) -> None:
    with pytest.raises(InputError) as caught:
        rule.checked()
    assert caught.value.key == "out_of_range"
    assert Rule(True, 0.05, 9999).checked() == Rule(True, 0.05, 9999)
