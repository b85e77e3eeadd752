"""Tokens, rows, columns, dimensions, heads and layers are counted from 0, on every page and in both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from app.languages import LANGUAGES, locale
from app.learn.matrices.opened_matrix import head_labels
from models.build import build
from models.edits import Edits
from models.errors import InputError
from models.explain import explain
from models.matrix_text import parse_matrix
from models.settings import PRESETS
from tests.app.pages import open_page
from tests.app.test_i18n import leaves

# An index in words: "head 1", "第 2 个头"; written out in a sentence it would be an example counted from 1.
ORDINAL = re.compile(r"第 ?(\{\w+\}|\d+) ?(个头|头|层|行|列|维|个词元)")


def texts(code: str) -> list[str]:
    return [text for _, text in leaves(locale(code))]


def test_no_chinese_sentence_counts_with_ordinals() -> None:
    assert [text for text in texts("zh") if ORDINAL.search(text)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_is_said_where_the_controls_are(code: str) -> None:
    for page in ("", "heads", "masks"):
        at = open_page(page, {"lang": code})
        assert locale(code)["sidebar"]["counted"] in [caption.value for caption in at.sidebar.caption]


@pytest.mark.parametrize("preset", ["animal", "paper"])
def test_heads_are_offered_as_they_are_called(preset: str) -> None:
    at = open_page("", {"preset": preset})
    key = "am.head" if preset == "animal" else "am.head_of_many"
    controls: tuple[Any, ...] = (*at.segmented_control, *at.selectbox)
    # a key ends in a digest of the labels
    control = next(c for c in controls if (c.key or "").startswith(f"{key}."))
    heads = PRESETS[preset].heads
    assert [int(re.match(r"\d+", option)[0]) for option in control.options] == list(range(heads))  # type: ignore[index]


def test_rows_and_columns_of_matrices_and_of_messages() -> None:
    assert head_labels(2, 2)[0] == "h0·0"
    assert [term.label for term in explain(build(PRESETS["animal"]), "scores", (0, 0, 0)).terms] == [
        "0",
        "1",
        "2",
        "3",
    ]
    with pytest.raises(InputError) as pasted:
        parse_matrix("x 2\n3 4", (2, 2))
    with pytest.raises(InputError) as typed:
        replace(PRESETS["fruit"], edits=Edits().with_cell("w_q", 0, 0, float("nan")))
    for error in (pasted, typed):
        assert (error.value.values["row"], error.value.values["column"]) == (0, 0)
