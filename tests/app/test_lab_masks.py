"""The laboratory on masks: the page in both languages, its knobs, what a click does and what is said."""

from __future__ import annotations

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app.labs.masks import masks
from app.labs.masks import words as masks_words
from models.build import build
from models.masked import MaskChoice, lost_row, under_mask
from models.settings import PRESETS
from tests.app.pages import healthy, open_page


def said(app: AppTest) -> str:
    return "\n".join(text.value for text in app.text)


def components(app: AppTest, name: str) -> int:
    return [element.proto.component_name for element in app.get("bidi_component")].count(name)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("preset", ["fruit", "animal"])
def test_the_page(lang: str, preset: str) -> None:
    app = open_page("masks", {"lang": lang, "preset": preset, "mask": "causal", "hide": "0"})
    assert healthy(app)
    assert components(app, "am_matrix") == 3
    assert components(app, "am_token_bars") == 2
    assert "NaN" in said(app)


@pytest.mark.parametrize(
    "query",
    [
        {"text": "one", "hide": "0"},
        {"preset": "paper", "m_window": "256", "m_prefix": "256"},
        {"m_cells": "0.0,1.*,200.200", "m_word": "<b>$x$"},
        {"text": "word " * 300},  # no room for another token
        {"m_word": "   "},
    ],
    ids=lambda query: next(iter(query)),
)
def test_unusual_states(query: dict[str, str]) -> None:
    app = open_page("masks", query)
    assert healthy(app)
    assert "left out" not in said(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [("m_window", "-1"), ("m_prefix", "999"), ("m_cells", "1.x"), ("m_cells", "1.2,"), ("m_word", "w" * 41)],
)
def test_a_bad_knob_is_named(name: str, value: str) -> None:
    app = open_page("masks", {name: value})
    assert healthy(app)
    assert any("left out" in text.value and name in text.value for text in app.text)


def test_every_start_is_one_click() -> None:
    app = open_page("masks", {"preset": "animal"})
    for name, hidden in (("causal", 45), ("padding", 10), ("window", 72), ("prefix", 35), ("both", 55)):
        app.button(key=f"am.masks.start_{name}").click().run()
        assert f"{hidden} of 100 cells" in said(app), name
        assert healthy(app)
    assert "“The” has no key left" in said(app) or "Rows without a key: 1 (The)" in said(app)
    app.button(key="am.masks.start_none").click().run()
    assert "Nothing is hidden" in said(app)


def test_a_row_can_be_closed_and_opened_again() -> None:
    app = open_page("masks", {"preset": "animal", "i": "4"})
    app.button(key="am.masks.lose").click().run()
    assert app.query_params["m_cells"] in ("4.*", ["4.*"])
    assert "Rows without a key: 1 (the)" in said(app)
    app.button(key="am.masks.open").click().run()
    assert "m_cells" not in app.query_params


CLICKS = """
from app import state
from app.labs.masks import masks
from app.labs.masks.page import _clicked
from components.matrix import Selection
import streamlit as st
state.current()
for row, column in ((1, 0), (2, 1), (1, 0), (0, 2)):
    _clicked(masks.choice(), 3, Selection(row, column))
st.text(state.lab("m_cells"))
masks.close_row(0)
masks.toggle(0, 2)
st.text(state.lab("m_cells"))
"""


def test_clicks_block_and_open_and_leave_alone_what_a_rule_hides() -> None:
    app = AppTest.from_string(CLICKS, default_timeout=60)
    app.query_params["mask"] = "causal"
    app.run()
    assert not app.exception
    assert [text.value for text in app.text] == ["2.1", "2.1"]


def test_cells_survive_the_address() -> None:
    cells, rows = frozenset({(0, 1), (12, 3)}), frozenset({5})
    assert masks.read_cells(masks.write_cells(cells, rows)) == (cells, rows)
    assert masks.read_cells("") == (frozenset(), frozenset())


def test_the_freed_weight_is_what_the_hidden_keys_had() -> None:
    trace = build(PRESETS["animal"])
    labels = trace.labels("query")
    plain, now = (under_mask(trace, MaskChoice(causal=on).visible(10)) for on in (False, True))
    text = masks_words.about_row(labels, plain, now, 3, 0)
    freed = float(trace["weights"].value[0, 3, 4:].sum())
    assert f"sees 4 of 10 keys. The hidden ones had {freed:.2f}" in text


def test_the_kinds_are_counted_from_the_answers() -> None:
    trace = build(PRESETS["animal"])
    mask = MaskChoice(closed=frozenset({2})).visible(10)
    found = lost_row(trace["query"].value[0], trace["key"].value[0], mask, 2)
    text = masks_words.about_lost(trace.labels("query"), 2, [2], found)
    assert "zeros come from this app" in text
    assert "equal weights of 0.10" in text
    only = {"engine": torch.zeros(10)}
    assert "NaN" not in masks_words.about_lost(trace.labels("query"), 2, [2], only)
