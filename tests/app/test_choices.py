"""Widgets of choice: a label is never a value, and what arrives is checked where it arrives."""

from __future__ import annotations

import pytest

from app.bindings import BINDINGS
from app.choices import labels
from app.labs.knobs import KNOBS
from app.url import State
from tests.app.pages import choice, choose, healthy, open_page

# what browsers sent when labels had changed, and values of other types
NO_VALUES = (
    "SmolLM2 · continues",
    "Layer 18",
    "Query 11: ␣the",
    "automatic · after 4: is",
    "头 4",
    "4",
    "1",
    10**12,
    -7,
)
ANY_TEXT = {"text", "second_text", "model", "model_ready", "model_text", "model_pair", "model_target",
            "translate_text", "translate_target"}  # fmt: skip
SWITCHES = {"sinusoidal", "causal"}  # anything is on or off


@pytest.mark.parametrize("name", sorted(set(BINDINGS) - ANY_TEXT - SWITCHES))
def test_a_field_takes_no_label(name: str) -> None:
    start = State()
    for value in NO_VALUES:
        sent = (value, value) if name == "model_stack" else value
        assert BINDINGS[name].write(start, sent) == start, value


@pytest.mark.parametrize("name", sorted(KNOBS))
def test_a_knob_takes_no_label(name: str) -> None:
    knob = KNOBS[name]
    assert knob.fits(knob.default)
    texts = isinstance(knob.default, str) and not knob.options  # words, orders and cells are texts
    for value in NO_VALUES:
        if type(value) is str and not texts:
            assert not knob.fits(value), value
    if type(knob.default) is not bool:
        assert not knob.fits(True)
        assert not knob.fits(None)


def test_a_field_takes_its_own_values() -> None:
    start = State()
    assert BINDINGS["model_layer"].write(start, 5).model.layer == 5
    assert BINDINGS["model_stack"].write(start, ("decoder", "cross")).model.kind == "cross"
    assert BINDINGS["d_k"].write(start, None).settings.d_k is None
    assert BINDINGS["temperature"].write(start, 0.123456789).settings.temperature == 0.123456789
    assert BINDINGS["head"].write(start, 1).view.head == 1


def test_equal_labels_are_told_apart() -> None:
    assert labels([0, 1, 2], ["a", "b", "a"].__getitem__) == {0: "a (0)", 1: "b", 2: "a (2)"}


def test_other_labels_are_another_widget() -> None:
    at = open_page("position")
    before = choice(at, "am.p_scheme").key
    again = choose(at, "am.p_scheme", "rotary")
    assert choice(again, "am.p_scheme").key == before  # the labels are the same: it stays
    chinese = choose(again, "am.language", "zh")
    assert healthy(chinese)
    assert choice(chinese, "am.p_scheme").key != before
    assert choice(chinese, "am.p_scheme").value == "rotary"
