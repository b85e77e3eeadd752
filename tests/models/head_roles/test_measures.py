"""Every measure: by hand, against plain loops, and what must hold for any head."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from torch import Tensor

from models.head_roles import MEASURES, Places, Tally, tally
from models.head_roles.measures import even_weights, rest_tally, share_tally
from models.head_roles.places import SHARES
from tests.models.oracles import naive_roles

ALL_SEE_ALL = Places(4, 4)


def means(weights: Tensor, places: Places) -> dict[str, float]:
    """The measures of one head."""
    found = tally(weights[None], places)
    return {name: float(sums[0]) / found.counts[name] for name, sums in found.sums.items()}


def one_hot(targets: list[int], keys: int) -> Tensor:
    return torch.nn.functional.one_hot(torch.tensor(targets), keys).float()


@pytest.mark.parametrize(
    ("targets", "kind"),
    [
        ([0, 0, 1, 2], "previous"),
        ([1, 2, 3, 3], "next"),
        ([0, 1, 2, 3], "itself"),
        ([3, 0, 0, 0], "first"),
        ([2, 2, 2, 2], "separator"),
        ([2, 3, 1, 1], "earlier"),
    ],
)
def test_a_head_that_does_one_thing_scores_1_there(targets: list[int], kind: str) -> None:
    ids = (8, 7, 9, 7) if kind == "earlier" else (1, 2, 3, 4)
    places = Places(4, 4, ids=ids, separator=(True, False, True, False))
    scores = means(one_hot(targets, 4), places)
    assert scores[kind] == 1.0
    assert [name for name in SHARES if scores.get(name) == 1.0] == [kind]


def test_induction_by_hand() -> None:
    """3 4 3 9 3 9: the 4 and the first 9 were not seen before and do not count."""
    places = Places(6, 6, ids=(3, 4, 3, 9, 3, 9))
    weights = torch.zeros(6, 6)
    weights[1, 0] = weights[3, 0] = 1
    weights[2, 1] = 0.5  # the 3 was followed by the 4
    weights[4, 1], weights[4, 3] = 0.25, 0.5  # by the 4 and by the 9
    weights[5, 4] = 0.75  # the 9 was followed by the last 3
    assert means(weights, places)["induction"] == pytest.approx((0.5 + 0.75 + 0.75) / 3)


def test_causal_even_attention_by_hand() -> None:
    """Row 0 has no choice and does not count; the others look at 2, 3 and 4 keys."""
    places = Places(4, 4, ids=(1, 2, 1, 2), visible=torch.ones(4, 4).tril().bool())
    scores = means(even_weights(places), places)
    assert scores == {
        "previous": pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3),
        "itself": pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3),
        "first": pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3),
        "earlier": pytest.approx((1 / 3 + 1 / 4) / 2),
        "induction": pytest.approx((1 / 3 + 1 / 4) / 2),
        "diagonal": pytest.approx((2 / 2 + 3 / 3 + 3 / 4) / 3),
        "distance": pytest.approx((1 / 2 + 3 / 3 + 6 / 4) / 3),
        "entropy": pytest.approx((1 + math.log2(3) + 2) / 3),
        "evenness": pytest.approx(1),
    }


def test_entropy_and_distance_by_hand() -> None:
    weights = torch.tensor([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    scores = means(weights, Places(3, 3))
    assert scores["entropy"] == pytest.approx((1.5 + 0 + 1) / 3)
    assert scores["evenness"] == pytest.approx(2.5 / math.log2(3) / 3)
    assert scores["distance"] == pytest.approx((0.25 + 0.5 + 0 + 1) / 3)


def test_an_alignment_between_texts_of_different_lengths() -> None:
    """Five queries step through nine keys, one key late: no fixed distance, but one line."""
    weights = one_hot([1, 3, 5, 7, 8], 9)
    scores = means(weights, Places(5, 9, separator=(True,) + (False,) * 7 + (True,), cross=True))
    assert scores["diagonal"] == 1.0
    assert scores["separator"] == pytest.approx(1 / 5)
    assert scores["first"] == 0.0
    assert set(scores) == {"first", "separator", "diagonal", "entropy", "evenness"}


def test_the_tolerance_of_the_diagonal() -> None:
    weights = one_hot([0, 0, 3, 3, 4, 6, 6, 7], 8)  # 0, −1, +1, 0, 0, +1, 0, 0 beside the query
    assert means(weights, Places(8, 8))["diagonal"] == 1.0
    weights = one_hot([7, 0, 7, 0, 7, 0, 7, 0], 8)
    assert means(weights, Places(8, 8))["diagonal"] == pytest.approx(2 / 8)


def test_what_a_sink_takes_is_in_no_share_but_leaves_entropy_and_distance() -> None:
    weights = torch.full((4, 4), 0.125)  # half of every row goes to a sink
    scores = means(weights, ALL_SEE_ALL)
    assert scores["previous"] == pytest.approx(0.125)
    assert scores["entropy"] == pytest.approx(2)
    assert scores["distance"] == pytest.approx((1.5 + 1 + 1 + 1.5) / 4)


def test_one_token_says_nothing() -> None:
    assert tally(torch.ones(2, 1, 1), Places(1, 1, ids=(3,), separator=(False,))) == Tally()


def test_a_repeated_token_has_earlier_copies_but_nothing_to_continue() -> None:
    places = Places(5, 5, ids=(9,) * 5, visible=torch.ones(5, 5).tril().bool())
    scores = tally(even_weights(places)[None], places)
    assert "induction" not in scores.sums
    assert scores.counts["earlier"] == 4


def test_a_special_token_that_stands_twice_repeats_nothing() -> None:
    places = Places(5, 5, ids=(1, 7, 2, 8, 2), special=(True, False, True, False, True))
    assert not places.targets["earlier"].any()
    assert not places.targets["induction"].any()


def test_rows_that_see_nothing_do_not_count() -> None:
    visible = torch.ones(5, 5).bool()
    visible[2] = False
    weights = even_weights(Places(5, 5, visible=visible))
    assert weights[2].tolist() == [0] * 5
    found = tally(weights[None], Places(5, 5, visible=visible))
    assert found.counts["entropy"] == 4
    assert found.counts["previous"] == 3


def test_a_nan_is_no_score() -> None:
    weights = torch.full((2, 4, 4), 0.25)
    weights[0, 1, 1] = torch.nan
    found = tally(weights, ALL_SEE_ALL)
    assert all(math.isnan(sums[0]) and not math.isnan(sums[1]) for sums in found.sums.values())


def test_sizes_have_to_agree() -> None:
    with pytest.raises(ValueError, match="3 × 3"):
        tally(torch.ones(1, 4, 4), Places(3, 3))


@some.composite
def heads(draw: some.DrawFn) -> tuple[Tensor, dict[str, Any]]:
    """Weights of one head (rows sum to 1, some may look at little) and everything that is known of its tokens."""
    cross = draw(some.booleans())
    queries = draw(some.integers(1, 9))
    keys = draw(some.integers(1, 9)) if cross else queries
    generator = torch.Generator().manual_seed(draw(some.integers(0, 10**6)))
    visible = None
    if draw(some.booleans()):
        kept = torch.rand(queries, keys, generator=generator) < draw(some.sampled_from([0.3, 0.7, 0.95]))
        visible = kept if cross else kept.tril() | torch.eye(queries).bool()
    scores = draw(some.sampled_from([1.0, 20.0])) * torch.randn(queries, keys, generator=generator)
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(-1))
    flags = some.lists(some.booleans(), min_size=keys, max_size=keys)
    tokens = {
        "ids": draw(some.lists(some.integers(0, 3), min_size=keys, max_size=keys)),
        "special": draw(flags),
        "separator": draw(flags),
    }
    return weights, {**tokens, "cross": cross, "visible": visible}


def places_for(weights: Tensor, facts: dict[str, Any]) -> Places:
    as_tuples = {name: tuple(facts[name]) for name in ("ids", "special", "separator")}
    return Places(*weights.shape, **{**facts, **as_tuples})


@given(heads())
def test_against_plain_loops(head: tuple[Tensor, dict[str, Any]]) -> None:
    weights, facts = head
    found = tally(weights[None], places_for(weights, facts))
    visible = None if facts["visible"] is None else facts["visible"].tolist()
    expected = naive_roles(weights.tolist(), **{**facts, "visible": visible})
    assert found.counts == {name: count for name, (_, count) in expected.items()}
    for name, (total, _) in expected.items():
        assert float(found.sums[name][0]) == pytest.approx(total, abs=1e-5), name


@given(heads())
def test_every_measure_stays_in_its_range(head: tuple[Tensor, dict[str, Any]]) -> None:
    weights, facts = head
    scores = means(weights, places_for(weights, facts))
    keys = weights.shape[1]
    highest = {"distance": keys - 1, "entropy": math.log2(keys) if keys > 1 else 0}
    assert set(scores) <= set(MEASURES)
    for name, score in scores.items():
        assert -1e-6 <= score <= highest.get(name, 1) + 1e-5, name


@given(heads())
def test_nothing_is_more_even_than_even_attention(head: tuple[Tensor, dict[str, Any]]) -> None:
    weights, facts = head
    places = places_for(weights, facts)
    even = means(even_weights(places), places)
    assert even.get("evenness", 1) == pytest.approx(1, abs=1e-5)
    if "entropy" in even:
        assert means(weights, places)["entropy"] <= even["entropy"] + 1e-5


@given(heads(), some.permutations(range(4)))
def test_other_numbers_for_the_tokens_change_nothing(
    head: tuple[Tensor, dict[str, Any]], names: list[int]
) -> None:
    weights, facts = head
    renamed = {**facts, "ids": [names[number] + 100 for number in facts["ids"]]}
    assert means(weights, places_for(weights, renamed)) == means(weights, places_for(weights, facts))


@given(heads())
def test_a_text_backwards_exchanges_previous_and_next(head: tuple[Tensor, dict[str, Any]]) -> None:
    weights, facts = head
    if facts["cross"] or facts["visible"] is not None:
        return
    places = Places(*weights.shape)
    forwards, backwards = means(weights, places), means(weights.flip(0, 1), places)
    swap = {"previous": "next", "next": "previous"}
    for name in {"previous", "next", "itself", "diagonal", "distance", "entropy", "evenness"} & set(forwards):
        assert backwards[swap.get(name, name)] == pytest.approx(forwards[name], abs=1e-5)


@given(some.lists(heads(), min_size=2, max_size=4))
def test_texts_add_up(several: list[tuple[Tensor, dict[str, Any]]]) -> None:
    single = [tally(weights[None], places_for(weights, facts)) for weights, facts in several]
    together = Tally()
    for one in single:
        together.add(one)
    for name in MEASURES:
        parts = [one for one in single if name in one.sums]
        assert together.counts.get(name, 0) == sum(one.counts[name] for one in parts)
        if parts:
            assert float(together.sums[name][0]) == pytest.approx(sum(float(p.sums[name][0]) for p in parts))


def test_the_shares_alone_are_the_same() -> None:
    weights = torch.rand(3, 6, 6).softmax(-1)
    places = Places(6, 6, ids=(1, 2, 3, 1, 2, 3), separator=(True,) * 6)
    alone, whole = share_tally(weights, places), tally(weights, places)
    assert set(alone.sums) == set(SHARES)
    assert all(torch.equal(alone.sums[name], whole.sums[name]) for name in SHARES)


def test_the_first_token_can_be_set_aside() -> None:
    """Each query gives 0.6 to the first token and the rest to the previous one."""
    places = Places(6, 6, ids=(1, 2, 3, 1, 2, 3), visible=torch.ones(6, 6).tril().bool())
    weights = 0.4 * one_hot([0, 0, 1, 2, 3, 4], 6)
    weights[:, 0] += 0.6
    found = rest_tally(torch.stack([weights, even_weights(places)]), places)
    means = {name: sums / found.counts[name] for name, sums in found.sums.items()}
    assert means["previous"].tolist() == pytest.approx([1, (1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4])
    assert means["first"].tolist()[0] == pytest.approx((1 + 4 * 0.6) / 5)
    assert means["evenness"].tolist() == pytest.approx([0, 1], abs=1e-6)
    assert found.counts["previous"] == 4  # queries 2 to 5: query 1 has no choice left


@given(heads())
def test_without_the_first_token_it_is_as_if_it_were_masked(head: tuple[Tensor, dict[str, Any]]) -> None:
    weights, facts = head
    places = places_for(weights, facts)
    rest = weights.clone()
    rest[:, 0] = 0
    rest = torch.nan_to_num(rest / rest.sum(-1, keepdim=True))
    found, expected = rest_tally(weights[None], places), tally(rest[None], places.without_first)
    assert {**found.counts, "first": 0} == {**expected.counts, "first": 0}
    for name, sums in expected.sums.items():
        assert float(found.sums[name][0]) == pytest.approx(float(sums[0]), abs=1e-5), name
