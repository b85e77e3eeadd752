"""What a model did not read is said on every page that shows it, in both languages."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.pages import open_page

CHINESE = "小猫没有过马路，因为它太累了。"
PAGES = ("overview", "head", "cell", "roles", "cause", "steps")


def said(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(text.value for text in app.text)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("lang", "sentence"),
    [("en", "does not know a single piece of this text"), ("zh", "这段文字模型一片也不认识")],
)
def test_a_text_that_the_model_does_not_know(path: str, lang: str, sentence: str) -> None:
    app = open_page(path, {"model": "minilm", "mtext": "ⵣⵣ 𒀀𒀀 ꙮꙮ", "lang": lang})
    assert sentence in said(app)
    assert "[UNK]" in said(app)


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "does not know 10 of the 15 pieces"), ("zh", "其中 10 片模型不认识")]
)
def test_some_of_it_unknown(lang: str, sentence: str) -> None:
    app = open_page("head", {"model": "minilm", "mtext": CHINESE, "lang": lang})
    assert sentence in said(app)
    assert "⁇" in said(app)


def test_what_is_known_needs_no_word() -> None:
    app = open_page("head", {"model": "minilm"})
    assert "pieces of this text" not in said(app)
    assert "special token" not in said(app)


@pytest.mark.parametrize("model", ["minilm", "smollm2"])
def test_a_typed_special_token_is_named(model: str) -> None:
    typed = {"minilm": "[MASK]", "smollm2": "<|im_start|>"}[model]
    app = open_page("head", {"model": model, "mtext": f"the {typed} sat"})
    assert f"{typed} in your text was read as a special token" in said(app)
