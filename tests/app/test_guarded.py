"""The last net: whatever breaks in a page is a sentence, and what steers Streamlit passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from app.guarded import guarded
from app.languages import locale
from tests.app.pages import open_page, texts
from tests.models.pretrained.test_panics import LONG, explodes, folder_with


def panics() -> None:
    """A real panic, of the kind that a tokenizer with an unfortunate pattern has."""
    tokenizer = Tokenizer(models.WordLevel({"x": 0}, "x"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(x+x+)+y"), "isolated")
    tokenizer.encode(LONG)


def test_a_panic_is_a_failed_page(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("app.guarded.notice", lambda text, *_, **__: shown.append(text))
    guarded(panics, "page")
    assert shown == [locale("en")["app"]["failed"]]


@pytest.mark.parametrize(
    "error", [RerunException(RerunData()), StopException(), KeyboardInterrupt(), SystemExit()]
)
def test_what_steers_passes(error: BaseException) -> None:
    def draw() -> None:
        raise error

    with pytest.raises(type(error)):
        guarded(draw, "page")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_text_that_a_tokenizer_panics_on(language: str, tmp_path: Path) -> None:
    folder = folder_with(explodes, tmp_path)
    at = open_page("overview", {"model": str(folder), "mtext": LONG, "lang": language})
    at.button(key="am.open_own").click().run()
    expected = locale(language)["errors"]["model_tokenizer_failed"].split("{detail}")[0]
    assert any(expected in text for text in texts(at))
