"""Every page in every language, with what people type and paste."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from app import navigation
from app.languages import LANGUAGES
from scripts.live import ROOT
from tests.app.pages import LAB_PATHS, PATHS, healthy, open_page, texts

# a key that leaked onto the page, such as "sidebar.sentence"; file names and numbers are no keys
KEY = re.compile(
    r"\b(?:app|pages|presets|sidebar|errors|compare|matrices|heads|stage|components|lab)\.[a-z_]+\b"
)

TEXTS = {
    "empty": "",
    "spaces": " \n\t ",
    "5,000 words": "word " * 5000,
    "half an emoji": "I \ud83d you",
    "family": "👨‍👩‍👧 💩",
    "script": "<script>alert(1)</script>",
    "markdown": "$x$ **b** :red[x]",
    "right to left": "אני אוהב תפוחים مرحبا",
    "zero width": "\u200b\u200d\ufeff",
    "null": "a\x00b",
    "one letter": "a",
    "template": "{head} {0} %s",
}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("path", [*PATHS, *LAB_PATHS])
@pytest.mark.parametrize("preset", ["fruit", "animal"])
def test_every_page_in_every_language(path: str, code: str, preset: str) -> None:
    app = open_page(path, {"lang": code, "preset": preset, "mask": "causal", "hide": "1"})
    assert healthy(app)
    assert not [text for text in texts(app) if KEY.search(text)]


@pytest.mark.parametrize("path", [*PATHS, *LAB_PATHS])
def test_the_sizes_of_the_paper(path: str) -> None:
    assert healthy(open_page(path, {"preset": "paper"}))


@pytest.mark.parametrize("path", [*PATHS, *LAB_PATHS])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_whatever_is_typed(path: str, text: str) -> None:
    app = open_page(path, {"text": text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")})
    assert healthy(app)


@pytest.mark.parametrize("path", [*PATHS, *LAB_PATHS])
def test_user_text_is_never_markdown_or_html(path: str) -> None:
    app = open_page(path, {"text": "<script>alert(1)</script> :red[x] **b**", "preset": "animal"})
    for kind in ("markdown", "caption", "title", "subheader", "header", "html", "error", "info", "warning"):
        for element in app.get(kind):
            body = str(getattr(element, "value", "") or getattr(element.proto, "body", ""))
            assert "alert(1)" not in body
            assert ":red[" not in body


@pytest.mark.parametrize("path", [*PATHS, *LAB_PATHS])
def test_everything_hidden(path: str) -> None:
    assert healthy(open_page(path, {"hide": "0,1,2"}))


def test_a_failing_page_says_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catch-all itself: a broken page is a sentence in the user's language, and the sidebar stays."""

    def broken(_name: str) -> object:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(navigation, "import_module", broken)
    app = open_page(query={"lang": "zh"})
    assert not app.exception
    assert any("出了问题" in text.value for text in app.text)
    assert app.text_area(key="am.text").value


def test_the_entry_finds_its_modules_from_anywhere() -> None:
    """`streamlit run` puts app/ on the path, not the root."""
    entry = str(ROOT / "app" / "main.py")
    away = f"sys.path = [p for p in sys.path if p not in ('', {str(ROOT)!r})]"
    code = f"import runpy, sys; {away}; runpy.run_path({entry!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" not in done.stderr
    assert done.returncode == 0
