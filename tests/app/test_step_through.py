"""The page of the stage, without a browser: every preset and step, both languages, the code below."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES, locale
from components.stage_data import stage_steps
from models.build import build
from models.settings import PRESETS, Settings
from tests.app.pages import open_page

HOSTILE = [
    "<script>alert(1)</script>", "$x$ **b** :red[x] :material/home:", "مرحبا بالعالم שלום", "👨‍👩‍👧 💩 \ufffd half",
    "a\n\n\tb",     "&amp; <img src=x onerror=alert(1)>", "word " * 5000, "x" * 10_000, "\u202eabc", "0",
]  # fmt: skip


def stage_meta(app: AppTest) -> dict[str, Any]:
    """The meta data that the stage component was given."""
    for element in app.get("bidi_component"):
        mixed = element.proto.mixed.json
        if '"steps"' in mixed:
            meta: dict[str, Any] = json.loads(mixed)["meta"]
            return meta
    raise AssertionError("no stage on the page")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_in_every_language(preset: str, language: str) -> None:
    app = open_page(query={"preset": preset, "lang": language})
    assert not app.exception
    meta = stage_meta(app)
    assert meta["steps"] == list(stage_steps(build(PRESETS[preset])))
    assert meta["text"] == locale(language)["stage"]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_shown_as_text(text: str) -> None:
    app = open_page()
    app.text_area(key="am.text").set_value(text).run()
    assert not app.exception
    meta = stage_meta(app)
    assert 1 <= len(meta["tokens"]) <= 256
    assert meta["tokens"] == list(build(Settings(text)).labels("query"))


@pytest.mark.parametrize("step", stage_steps(build(PRESETS["animal"])))
def test_the_stage_opens_at_the_step_of_the_address(step: str) -> None:
    app = open_page(query={"preset": "animal", "step": step, "i": "2", "j": "1"})
    assert stage_meta(app)["start"] == {"step": step, "i": 2, "j": 1, "opening": 1}


@pytest.mark.parametrize(
    "query", [{"step": "__proto__"}, {"step": "scores", "i": "99999999999"}, {"i": "-1", "j": "x"}]
)
def test_a_hostile_address_opens_the_default(query: dict[str, str]) -> None:
    app = open_page(query=query)
    assert not app.exception
    start = stage_meta(app)["start"]
    assert start["step"] == "scores"
    assert 0 <= start["i"] < 3
