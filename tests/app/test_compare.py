"""What is said about two sentences is true of their traces."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from app.languages import LANGUAGES
from app.learn.compare.page import without_edited_words
from app.learn.compare.words import Comparison, measure, statement
from app.second_sentence import suggest
from models.build import build
from models.edits import Edits
from models.settings import PRESETS
from tests.app.pages import healthy, open_page

ANIMAL = PRESETS["animal"]


def comparison(first: str, second: str, **changes: object) -> Comparison:
    settings = replace(ANIMAL, **changes)  # type: ignore[arg-type]
    return Comparison(build(replace(settings, text=first)), build(replace(settings, text=second)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ANIMAL.text, ANIMAL.text.replace("tired", "wide")),
        ("我 喜欢 苹果", "我 喜欢 香蕉"),
        ("I love NLP", "I love music"),
        ("a tired NLP", "a tired music"),  # the last of two
        ("red blue", "red apples"),
        ("apples", "music"),
        ("他在图书馆", "他在苹果"),
        ("I love NLP!", "I love music!"),
        ("אני אוהב", "אני אני"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_the_suggested_sentence_differs_in_one_word(first: str, second: str) -> None:
    assert suggest(first) == second


def test_the_sizes_are_the_lengths_of_the_differences() -> None:
    compared = comparison("one two three", "one two four")
    a, b = (trace["output"].value.numpy() for trace in (compared.first, compared.second))
    expected = [
        float(np.sqrt(sum((float(y) - float(x)) ** 2 for x, y in zip(a[i], b[i], strict=True))))
        for i in range(3)
    ]
    assert compared.moved == pytest.approx(expected, rel=1e-5)
    assert compared.names == [("one",), ("two",), ("three", "four")]
    assert compared.changed == [2]


def test_every_output_moves_without_a_mask() -> None:
    compared = comparison("one two three", "one four three")
    assert (compared.moved > 0).all()
    text = statement(compared)
    assert "two→four" in text
    assert "3 of 3 outputs moved" in text
    assert "depends on the whole sentence" in text


def test_with_a_causal_mask_earlier_outputs_stay_exactly_equal() -> None:
    compared = comparison("one two three four", "one two five four", mask="causal")
    assert compared.moved[:2].tolist() == [0.0, 0.0]
    assert (compared.moved[2:] > 0).all()
    text = statement(compared)
    assert "2 of 4 outputs moved" in text
    assert "Exactly unchanged: one, two." in text
    assert "three→five" in text


def test_a_hidden_word_moves_nothing_but_itself() -> None:
    compared = comparison("one two three", "one four three", hidden=(1,))
    assert compared.moved[0] == compared.moved[2] == 0
    assert "depends on the whole sentence" not in statement(compared)


def test_the_same_sentence_moves_nothing() -> None:
    text = statement(comparison("one two", "one two"))
    assert "same tokens" in text
    assert "None of the 2 outputs moved" in text


def test_different_lengths_are_compared_by_position() -> None:
    compared = comparison("one two three", "one two")
    assert not compared.same_length
    assert compared.moved.shape == (2,)
    assert "3 and 2 tokens" in statement(compared)


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("hidden", [(), (0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize(
    "second", ["nine two three", "one nine three", "one two nine", "nine two nine", "one two"]
)
def test_what_is_said_holds_under_any_mask(mask: str, hidden: tuple[int, ...], second: str) -> None:
    compared = comparison("one two three", second, mask=mask, hidden=hidden)
    text = statement(compared)
    moved = compared.moved > 0
    if not moved.any():
        assert "None of the" in text
    else:
        assert f"{int(moved.sum())} of {len(moved)} outputs moved" in text
    if "whole sentence" in text:
        assert compared.second.mask is None
        assert moved.all()
    if "causal mask" in text:
        assert mask == "causal"
        assert not compared.moved[: compared.changed[0]].any()
    if unchanged := re.search(r"unchanged: (\d+) output", text):
        assert int(unchanged[1]) <= int((compared.moved == 0).sum())


def test_how_far_is_defined_with_numbers_to_compare_it_with() -> None:
    compared = comparison("one two three", "one two four")
    lengths = np.linalg.norm(compared.first["output"].value.numpy(), axis=-1)
    text = measure(compared)
    assert "over 16 numbers" in text
    assert f"{lengths.min():.2f} to {lengths.max():.2f} long" in text
    for code in LANGUAGES:
        app = open_page("compare", {"preset": "animal", "lang": code})
        assert any("‖y₂ − y₁‖" in caption.value for caption in app.caption)


def test_edited_word_vectors_are_left_out() -> None:
    edits = Edits().with_cell("embedding", 0, 0, 5.0).with_cell("w_q", 0, 0, 5.0)
    settings, left_out = without_edited_words(replace(ANIMAL, edits=edits))
    assert left_out
    assert list(settings.edits) == ["w_q"]
    assert without_edited_words(ANIMAL) == (ANIMAL, False)


def test_the_page_compares_what_is_typed() -> None:
    app = open_page("compare", {"preset": "animal"})
    assert app.text_area(key="am.second_text").value == ANIMAL.text.replace("tired", "wide")
    assert "text2" not in app.query_params
    app.text_area(key="am.second_text").set_value("The animal slept").run()
    assert app.query_params["text2"] == "The animal slept"
    assert any("10 and 3 tokens" in text.value for text in app.text)


def test_an_emptied_second_sentence_stays_empty_and_is_explained() -> None:
    app = open_page("compare", {"preset": "animal"})
    app.text_area(key="am.second_text").set_value("").run()
    assert app.text_area(key="am.second_text").value == ""
    assert app.query_params["text2"] == ""
    assert any("no word in the text" in text.value for text in app.text)
    assert healthy(app)


def test_the_page_says_that_edited_words_are_left_out() -> None:
    edits = Edits().with_cell("embedding", 0, 0, 5.0).encode()
    app = open_page("compare", {"preset": "animal", "edits": edits})
    assert any("Your edits of X" in text.value for text in app.text)


def test_an_emptied_first_sentence_is_explained_once() -> None:
    app = open_page("compare", {"preset": "animal", "text": ""})
    assert sum("no word in the text" in text.value for text in app.text) == 1
    assert healthy(app)
