"""What the laboratories say, over masks, padding, one token, ties and both languages: true whatever is on the page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from app.labs.masks import words as masks_words
from app.labs.order import order
from app.labs.order import words as order_words
from app.languages import LANGUAGES
from models.build import build
from models.masked import MaskChoice, moved, under_mask
from models.positioned import Scheme
from models.settings import PRESETS, Settings
from tests.app.pages import healthy, open_page

WORDS = some.lists(some.sampled_from(["cat", "dog", "the", "sat", "小猫"]), min_size=1, max_size=6)
ANIMAL = PRESETS["animal"]


def sentence(words: list[str], **changes: object) -> Settings:
    return replace(ANIMAL, text=" ".join(words), **changes)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(words=WORDS, data=some.data())
def test_without_positions_and_mask_every_output_is_an_old_one(
    words: list[str], data: some.DataObject
) -> None:
    """Ties (the same word twice), padding that goes along with its token, a single token."""
    hidden = data.draw(some.sets(some.integers(0, len(words) - 1), max_size=len(words) - 1))
    chosen = sentence(words, hidden=tuple(hidden))
    permutation = data.draw(some.permutations(range(len(words))))
    trace = build(chosen)
    plain = order.shuffle(chosen, trace, Scheme("none"), permutation)
    same = order.same_vectors(plain, permutation)
    assert plain.count == 0
    assert bool(same.any(-1).all())
    for place, index in enumerate(permutation):
        assert same[place, index] == 1
    said = order_words.about_shuffle(
        permutation, trace.labels("query"), plain, plain, causal=False, scheme="none", named="none"
    )
    assert ("own order" in said) == (list(permutation) == sorted(permutation))
    assert "outputs moved" not in said


@settings(max_examples=40)
@given(
    words=WORDS, permutation=some.randoms(), scheme=some.sampled_from(order.SCHEMES), causal=some.booleans()
)
def test_as_many_outputs_move_as_is_said(words: list[str], permutation, scheme: str, causal: bool) -> None:  # type: ignore[no-untyped-def]
    chosen = sentence(words, mask="causal" if causal else "none")
    places = list(range(len(words)))
    permutation.shuffle(places)
    trace = build(chosen)
    plain, placed = (order.shuffle(chosen, trace, Scheme(name), places) for name in ("none", scheme))  # type: ignore[arg-type]
    said = order_words.about_shuffle(
        places, trace.labels("query"), plain, placed, causal=causal, scheme="S", named=scheme
    )
    if places == sorted(places):
        return
    for found in re.findall(r"S: (\d+) of (\d+)", said):
        assert found == (str(placed.count), str(len(words)))
    assert ("which is rounding" in said) == (plain.count == 0)
    assert ("no output moved" in said) == (scheme != "none" and placed.count == 0)


@settings(max_examples=40)
@given(words=WORDS, hidden=some.sets(some.integers(0, 5), max_size=3), window=some.integers(0, 3))
def test_a_causal_mask_keeps_earlier_outputs_whatever_else_is_hidden(
    words: list[str], hidden: set[int], window: int
) -> None:
    before, after = build(sentence(words)), build(sentence([*words, "again"]))
    found = {}
    for name, choice in (
        ("causal", MaskChoice(causal=True, window=window, hidden=tuple(hidden))),
        ("free", MaskChoice()),
    ):
        results = (under_mask(trace, choice.visible(len(trace.labels("query")))) for trace in (before, after))
        found[name] = moved(*results)
    assert not found["causal"].any()
    text = masks_words.about_moves(found["causal"], found["free"], found["causal"], "again")
    assert "an earlier output is 0:" in text
    assert f"{int((found['free'] > 0).sum())} of {len(words)}" in text
    assert torch.isfinite(found["free"]).all()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["order", "masks", "scale"])
@pytest.mark.parametrize(
    "query", [{"text": "one"}, {"text": "a a a", "mask": "causal", "hide": "0"}], ids=str
)
def test_corners_on_the_page(query: dict[str, str], path: str, language: str) -> None:
    app = open_page(path, {**query, "lang": language})
    assert healthy(app)
    said = "\n".join(str(text.value) for text in (*app.text, *app.caption))
    assert "{" not in said
    assert not re.search(r"\bnan\b|\binf\b", said)
