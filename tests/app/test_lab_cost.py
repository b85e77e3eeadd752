"""The laboratory on cost: the page, its knobs, the measurement and what is said about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.labs.cost import cost
from app.labs.cost import words as cost_words
from app.labs.knobs import KNOBS
from models.cost import Sizes
from models.growth import Growth
from models.layers import MEASURED
from models.stopwatch import Sample
from tests.app.pages import healthy, open_page

SIZES = Sizes(64, 128, 3, 32)


def said(app: AppTest) -> str:
    return "\n".join(text.value for text in app.text)


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def tables(app: AppTest) -> list[str]:
    return [
        block.proto.body for block in app.get("html") if block.proto.body.startswith('<div class="am-numbers')
    ]


def sample(layer: str, n: int, median: float, memory: int = 1_000_000) -> Sample:
    return Sample(layer, replace(SIZES, n=n), median / 2, median, median * 2, memory, 7)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page(lang: str) -> None:
    app = open_page("cost", {"lang": lang})
    assert healthy(app)
    assert len(charts(app)) == 4
    assert "n²·d = 524,288" in tables(app)[0]
    assert "n·d² = 1.05 M" in tables(app)[0]


def test_measuring_fills_the_charts_and_the_table() -> None:
    app = open_page("cost", {"c_top": "256", "c_d": "8"})
    app.button(key="am.cost.measure").click().run()
    assert healthy(app)
    assert len(tables(app)) == 2
    assert "Measured from n = 128 to 256" in said(app)
    for chart in charts(app)[1:3]:  # memory and time
        assert [len(line["x"]) for line in chart["data"]] == [4] * 5
    app.number_input(key="am.c_d").set_value(16).run()  # other sizes: nothing is measured for them
    assert len(tables(app)) == 1


def test_two_measurements_do_not_run_at_once() -> None:
    app = open_page("cost", {"c_top": "256", "c_d": "8"})
    with cost._ONE_AT_A_TIME:
        app.button(key="am.cost.measure").click().run()
    assert healthy(app)
    assert "Somebody else is measuring" in said(app)


def test_the_lock_is_given_back_when_a_measurement_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(cost, "_measure", broken)
    with pytest.raises(RuntimeError):
        cost.measure()
    assert not cost._ONE_AT_A_TIME.locked()


@pytest.mark.parametrize(
    "query",
    [
        {"c_n": "1", "c_d": "1", "c_k": "1", "c_r": "1"},
        {"c_n": "4096", "c_d": "512", "c_k": "31", "c_r": "1024", "c_top": "4096"},
        {"c_gain": "10"},
        {"c_k": "1"},
    ],
    ids=str,
)
def test_every_corner(query: dict[str, str]) -> None:
    app = open_page("cost", query)
    assert healthy(app)
    assert "left out" not in said(app)


@pytest.mark.parametrize(
    ("name", "value"), [("c_n", "0"), ("c_d", "513"), ("c_top", "100"), ("c_gain", "inf")]
)
def test_a_bad_knob_is_named(name: str, value: str) -> None:
    app = open_page("cost", {name: value})
    assert healthy(app)
    assert any("left out" in text.value and name in text.value for text in app.text)


@pytest.mark.parametrize(
    ("n", "words"), [(64, "2.0 times as many"), (512, "4.0 times the"), (128, "the same")]
)
def test_what_is_cheaper(n: int, words: str) -> None:
    assert words in cost_words.about_table(Sizes(n, 128, 3, 32))


def grown(layer: str, n: int, ratio: float, low: float, high: float) -> Growth:
    return Growth(layer, n, ratio, low, high, 9)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_growth_is_said_where_the_runs_agree(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [sample("attention", 64, 1.0), sample("attention", 128, 4.2, 3_700_000)]
    found += [sample("recurrent", 64, 1.0), sample("recurrent", 128, 0.8)]
    samples = {(s.layer, s.sizes.n): s for s in found}
    monkeypatch.setattr("app.state.language", lambda: language)
    sure = {
        "attention": grown("attention", 64, 4.2, 4.0, 4.4),
        "recurrent": grown("recurrent", 64, 0.8, 0.3, 2.4),
    }
    text = cost_words.about_samples(samples, sure)
    assert "64" in text
    assert "4.2" in text
    assert "3.7" in text
    assert "0.8" not in text  # noise is no finding
    assert cost_words.about_samples(samples, {}) == ""


def test_the_last_doubling_is_measured_in_pairs() -> None:
    found = [sample("attention", n, 1.0) for n in (32, 64, 128)] + [
        sample("recurrent", n, 1.0) for n in (32, 64)
    ]
    samples = {(s.layer, s.sizes.n): s for s in found}
    assert cost.last_doublings(samples) == [("attention", 64), ("recurrent", 32)]
    assert cost.last_doublings({("attention", 32): found[0]}) == []


def test_a_row_per_length_with_the_spread() -> None:
    rows = cost_words.sample_rows({("fused", 64): sample("fused", 64, 0.001)})
    assert rows == [("64", "–", "1.00 (0.50–2.00) ms · 1.0 MB", "–", "–", "–")]
    assert len(rows[0]) == 1 + len(MEASURED)


def test_an_exploding_gradient_is_called_one() -> None:
    curves = {"rnn": [1.0] * 7 + [50.0], "lstm": [1.0] * 8, "attention": [0.1] * 8}
    assert "explodes instead of vanishing: RNN." in cost_words.about_gradient(curves, 5.0)
    assert "explodes" not in cost_words.about_gradient({**curves, "rnn": [1.0] * 8}, 1.0)


def test_the_lengths_to_choose_from_are_the_knob_s() -> None:
    assert KNOBS["c_top"].options == cost.LARGEST
