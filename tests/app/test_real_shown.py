"""Words, special tokens, parts of a pair: what of the weights is shown."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from app.model_view import ModelView
from app.trained.shown import Axis, axis, shown_mask, shown_weights, strongest_only, without_sink
from models.pretrained.labels import ModelToken, ModelTokens

#          [CLS]  un     ##happy  cat    [SEP]  so     [SEP]
SEGMENT = (None, 0, 0, 0, None, 1, None)
WORD = (None, 0, 0, 1, None, 0, None)
TEXTS = ("unhappy cat", "so")
SPANS = ((0, 0), (0, 2), (2, 7), (8, 11), (0, 0), (0, 2), (0, 0))
NAMES = ("[CLS]", "un", "happy", "cat", "[SEP]", "so", "[SEP]")
TOKENS = ModelTokens(
    tuple(
        ModelToken(
            n, name, name, special=segment is None, segment=segment, start=span[0], end=span[1], word=word
        )
        for n, (name, segment, word, span) in enumerate(zip(NAMES, SEGMENT, WORD, SPANS, strict=True))
    ),
    TEXTS,
)
choices = some.builds(ModelView, words=some.booleans(), special=some.booleans())
parts = some.sampled_from([None, 0, 1])


def shown(segment: int | None = None, **choice: bool) -> Axis:
    return axis(TOKENS, TOKENS.labels, ModelView(**choice), segment)  # type: ignore[arg-type]


def weights(seed: int = 0, causal: bool = False) -> torch.Tensor:
    torch.manual_seed(seed)
    scores = torch.randn(7, 7)
    return (scores.masked_fill(~torch.ones(7, 7).tril().bool(), -torch.inf) if causal else scores).softmax(-1)


def test_tokens_as_they_are() -> None:
    assert shown().labels == NAMES
    np.testing.assert_array_equal(shown_weights(weights(), shown(), shown()), weights().numpy())


def test_special_tokens_are_left_out_and_words_put_together() -> None:
    assert shown(special=False).labels == ("un", "happy", "cat", "so")
    assert shown(words=True).labels == ("[CLS]", "unhappy", "cat", "[SEP]", "so", "[SEP]")
    assert shown(words=True, special=False).labels == ("unhappy", "cat", "so")


def test_one_sentence_of_a_pair() -> None:
    assert shown(0).labels == ("un", "happy", "cat")
    assert shown(1).labels == ("so",)
    assert shown(1, words=True).token_at(0) == 5


def test_a_part_that_has_nothing_in_it_hides_nothing() -> None:
    alone = ModelTokens(TOKENS.pieces[:5], TEXTS[:1])
    assert axis(alone, alone.labels, ModelView(), 1).labels == NAMES[:5]


def test_without_tokens_there_are_places() -> None:
    places = axis(None, ["0", "1", "2"], ModelView(words=True, special=False), 0)
    assert places.labels == ("0", "1", "2")
    assert [places.place_of(token) for token in range(4)] == [0, 1, 2, None]


def test_words_by_hand() -> None:
    got = shown_weights(weights(), shown(words=True), shown(words=True))
    expected = weights()[1:3].mean(0)[1:3].sum()  # "unhappy" to itself: mean over queries, sum over keys
    assert got[1, 1] == pytest.approx(float(expected))


@given(choices, parts, parts, some.integers(0, 99))
def test_rows_lose_only_what_is_hidden(view: ModelView, a: int | None, b: int | None, seed: int) -> None:
    rows, cols = axis(TOKENS, TOKENS.labels, view, a), axis(TOKENS, TOKENS.labels, view, b)
    got = shown_weights(weights(seed), rows, cols)
    assert got.shape == (len(rows.labels), len(cols.labels))
    seen = [token for group in cols.kept for token in cols.groups[group]]
    for place, group in enumerate(rows.kept):
        expected = weights(seed)[list(rows.groups[group])].mean(0)[seen].sum()
        assert got[place].sum() == pytest.approx(float(expected), rel=1e-5)


@given(choices, parts)
def test_places_and_tokens_lead_back_to_each_other(view: ModelView, segment: int | None) -> None:
    found = axis(TOKENS, TOKENS.labels, view, segment)
    for place in range(len(found.labels)):
        assert found.place_of(found.token_at(place)) == place
    hidden = set(range(7)) - {token for group in found.kept for token in found.groups[group]}
    assert all(found.place_of(token) is None for token in hidden)


@given(choices, parts, parts)
def test_what_is_masked_has_no_weight(view: ModelView, a: int | None, b: int | None) -> None:
    rows, cols = axis(TOKENS, TOKENS.labels, view, a), axis(TOKENS, TOKENS.labels, view, b)
    mask = shown_mask(torch.ones(7, 7).tril().bool(), rows, cols)
    assert mask is not None
    got = shown_weights(weights(causal=True), rows, cols)
    assert (got[~mask] == 0).all()
    assert (got[mask] > 0).all()
    assert shown_mask(None, rows, cols) is None


def test_the_first_token_is_set_aside_only_where_it_is_shown() -> None:
    drawn = shown_weights(weights(), shown(), shown())
    assert (without_sink(drawn, shown())[:, 0] == 0).all()
    np.testing.assert_array_equal(without_sink(drawn, shown())[:, 1:], drawn[:, 1:])
    assert drawn[0, 0] > 0  # the matrix keeps it
    few = shown_weights(weights(), shown(special=False), shown(special=False))
    np.testing.assert_array_equal(without_sink(few, shown(special=False)), few)


@given(some.integers(1, 9), some.integers(0, 99))
def test_the_strongest_links_of_every_row(count: int, seed: int) -> None:
    drawn = weights(seed).numpy()[None]
    kept = strongest_only(drawn, count)
    for row, all_of_it in zip(kept[0], drawn[0], strict=True):
        assert sorted(row[row > 0]) == sorted(all_of_it)[-min(count, 7) :]
        assert (all_of_it[row > 0] == row[row > 0]).all()
