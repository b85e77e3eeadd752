"""Means, what is left out of them, and the role that they give a head."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from models.head_roles import Places, Scores, Tally, finished, nearest_share, role_of, tally
from models.head_roles.measures import even_weights
from models.head_roles.verdict import Role


def scores_of(weights: torch.Tensor, places: Places) -> Scores:
    return finished(tally(torch.cat([weights, even_weights(places)[None]]), places))


def given(even: float = 0.1, **values: float) -> Scores:
    """The scores of one head."""
    return Scores({n: torch.tensor([v]) for n, v in values.items()}, dict.fromkeys(values, even), {})


def test_means_of_heads_beside_even_attention() -> None:
    places = Places(5, 5)
    scores = scores_of(torch.stack([torch.eye(5), torch.full((5, 5), 0.2)]), places)
    assert scores.values["itself"].tolist() == pytest.approx([1, 0.2])
    assert scores.even["itself"] == pytest.approx(0.2)
    assert scores.counts == {
        "previous": 4, "next": 4, "itself": 5, "first": 4, "diagonal": 5, "distance": 5, "entropy": 5, "evenness": 5
    }  # fmt: skip
    assert scores.excess("itself", 0) == pytest.approx(1)
    assert scores.excess("itself", 1) == pytest.approx(0, abs=1e-6)


def test_from_two_queries_nothing_is_said() -> None:
    counted = Tally({"earlier": torch.ones(2), "itself": torch.ones(2)}, {"earlier": 2, "itself": 3})
    scores = finished(counted)
    assert list(scores.values) == ["itself"]
    assert scores.value("earlier", 0) is None
    assert scores.excess("earlier", 0) is None
    assert scores.value("itself", 0) == pytest.approx(1 / 3)


def test_nan_is_no_value_and_no_role() -> None:
    scores = given(previous=math.nan, evenness=math.nan)
    assert scores.value("previous", 0) is None
    assert role_of(scores, 0) is None


def test_where_even_attention_has_everything_nothing_lies_above_it() -> None:
    assert given(even=1.0, diagonal=1.0).excess("diagonal", 0) is None


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ({"previous": 0.9, "first": 0.05, "diagonal": 0.99, "evenness": 0.2}, Role("previous", 0.9)),
        ({"previous": 0.30, "itself": 0.30, "diagonal": 0.85, "evenness": 0.5}, Role("diagonal", 0.85)),
        ({"previous": 0.12, "diagonal": 0.2, "evenness": 0.95}, Role("broad", 0.95)),
        ({"previous": 0.3, "first": 0.35, "diagonal": 0.4, "evenness": 0.6}, None),
        ({"separator": 0.7, "first": 0.2}, Role("separator", 0.7)),
        ({}, None),
    ],
)
def test_what_a_head_is_best_at(values: dict[str, float], role: Role | None) -> None:
    found = role_of(given(**values), 0)
    assert (found and found.name) == (role and role.name)
    if found and role:
        assert found.score == pytest.approx(role.score)


def test_a_share_counts_only_as_far_as_it_lies_above_even_attention() -> None:
    """In a text of four tokens even attention already gives the previous one 0.36."""
    places = Places(4, 4, visible=torch.ones(4, 4).tril().bool())
    assert role_of(scores_of(even_weights(places)[None], places), 0) == Role("broad", pytest.approx(1.0))
    assert role_of(given(even=0.36, previous=0.55), 0) is None
    assert role_of(given(even=0.05, previous=0.55), 0) is not None


def test_with_the_first_token_set_aside_only_resting_heads_are_called_so() -> None:
    def named(**values: float) -> str | None:
        role = role_of(replace(given(**values), aside=True), 0)
        return role and role.name

    assert named(first=0.7, previous=0.8) == "previous"
    assert named(first=0.7, previous=0.2, evenness=0.5) is None
    assert named(first=0.97, previous=0.8) == "first"


def test_what_lies_nearest_to_a_role() -> None:
    assert nearest_share(given(previous=0.2, first=0.3), 0) == "first"
    assert nearest_share(given(previous=0.05), 0) is None
    assert nearest_share(given(), 0) is None


def test_what_even_attention_mostly_has_already_is_no_role() -> None:
    assert role_of(given(even=0.78, diagonal=0.99), 0) is None  # three tokens, three diagonals
    assert role_of(given(even=0.5, diagonal=0.99), 0) == Role("diagonal", pytest.approx(0.99))


def test_with_the_first_token_set_aside_it_is_not_what_lies_nearest() -> None:
    assert nearest_share(replace(given(first=0.6, previous=0.2), aside=True), 0) == "previous"
