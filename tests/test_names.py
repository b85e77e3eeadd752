"""One thing has one name: the group of pages is "Trained models" in the menu and wherever it is spoken of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.languages import LANGUAGES, locale

ROOT = Path(__file__).parents[1]
GROUP = {"en": "Trained models", "zh": "训练好的模型"}
FORMER = re.compile("real " + "models?|真实" + "模型", re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_has_the_group_s_name(language: str) -> None:
    assert locale(language)["pages"]["trained"] == GROUP[language]


@pytest.mark.parametrize("folder", ["app", "components", "models", "tests", "scripts", "benchmarks"])
def test_nothing_has_the_former_name(folder: str) -> None:
    files = [p for p in (ROOT / folder).rglob("*") if p.suffix in (".py", ".toml", ".js", ".css", ".html")]
    assert files
    assert [p.name for p in files if FORMER.search(p.read_text("utf-8"))] == []


def test_what_points_to_a_page_names_it_as_the_menu_does() -> None:
    for language in LANGUAGES:
        assert GROUP[language] in locale(language)["lab"]["position"]["not_fetched"]
