"""The laboratory on scaling: what is said is what was measured, in both languages, for every knob."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app.labs.scale import page as lab_scale
from app.labs.scale import scale
from app.labs.scale.overflow import rows, scientific, statement
from models import overflow
from tests.app.pages import healthy, open_page


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def table(app: AppTest) -> str:
    """The numbers beside the picture, without tags."""
    found = [block.proto.body for block in app.get("html") if "am-numbers" in block.proto.body]
    return " ".join(re.sub(r"<[^>]+>", " ", body) for body in found)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("preset", ["fruit", "animal"])
def test_the_page(lang: str, preset: str) -> None:
    app = open_page("scale", {"lang": lang, "preset": preset})
    assert healthy(app)
    assert len(charts(app)) == 4
    assert "16.13 · 16.00" in table(app)
    assert "NaN" in table(app)


@pytest.mark.parametrize(
    "query",
    [
        {"s_dk": "1", "s_keys": "2"},
        {"s_dk": "777", "s_keys": "32", "s_temp": "0.05"},  # no power of two
        {"s_dk": "1024", "s_temp": "100", "s_seed": "9999"},
        {"s_add": "-200", "s_dtype": "float16"},
        {"text": "one", "s_add": "0", "s_dtype": "bfloat16", "s_keys": "13"},
    ],
    ids=str,
)
def test_every_corner(query: dict[str, str]) -> None:
    app = open_page("scale", query)
    assert healthy(app)
    assert not any("left out" in text.value for text in app.text)
    kept = {name: app.query_params[name] for name in query if name in app.query_params}
    assert {name: value if isinstance(value, str) else value[0] for name, value in kept.items()} == query


@pytest.mark.parametrize(
    ("name", "value"),
    [("s_dk", "0"), ("s_dk", "1025"), ("s_dk", "x"), ("s_keys", "1"), ("s_temp", "nan"), ("s_dtype", "int8")],
)
def test_a_bad_knob_is_named(name: str, value: str) -> None:
    app = open_page("scale", {name: value})
    assert healthy(app)
    assert any("left out" in text.value and name in text.value for text in app.text)


def test_the_curves_are_what_was_measured() -> None:
    app = open_page("scale")
    measured = scale.curves(12, 1.0, 7)
    dots = charts(app)[0]["data"][1]
    assert dots["y"] == pytest.approx([m.spread for m in measured.plain])
    assert charts(app)[0]["data"][0]["y"] == pytest.approx([math.sqrt(size) for size in scale.SIZES])
    bars = [trace["y"] for trace in charts(app)[1]["data"]]
    assert [sum(weights) for weights in bars] == pytest.approx([1, 1], rel=1e-5)


def test_turning_a_knob_changes_the_address_and_the_words() -> None:
    app = open_page("scale")
    app.number_input(key="am.s_temp").set_value(2.0).run()
    assert app.query_params["s_temp"] in ("2", ["2"])
    assert any("Temperature 2 acts on both" in text.value for text in app.text)


@pytest.mark.parametrize(
    ("d_k", "words"), [(1, "both agree"), (64, "still gets through"), (1024, "saturated")]
)
def test_what_is_said_fits_the_numbers(d_k: int, words: str) -> None:
    here = scale.here(d_k, 12, 1.0, 7)
    assert words in lab_scale.statement(here.plain, here.scaled, 1.0)


def test_the_button_takes_d_k_and_temperature_to_the_stage() -> None:
    assert lab_scale.carried(64, 2.0) == {"d_k": 64, "temperature": 2.0}
    assert lab_scale.carried(1024, 100.0) == {"d_k": 512, "temperature": 10.0}


@pytest.mark.parametrize(
    ("added", "words"), [(0.0, "both ways agree"), (120.0, "∞ / ∞ = NaN"), (-200.0, "0 / 0 = NaN")]
)
def test_overflow_is_told_as_it_happens(added: float, words: str) -> None:
    scores = torch.tensor([1.0, 3.0, -2.0, 0.5, 0.0, 2.0, 1.0]) + added
    found = overflow.both(scores)
    assert words in statement(scores, found)
    listed = rows(scores, found)
    assert listed[0][0] == "key 1"
    assert (listed[0][3] == "NaN") == (added != 0)
    assert listed[-1][-1] == "1.00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.5, "0.50"),
        (1.7e-5, "1.7e−5"),
        (2.4e43, "2.4e43"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
        (-0.001, "−1.0e−3"),
    ],
)
def test_numbers_of_any_size(value: float, text: str) -> None:
    assert scientific(value) == text
