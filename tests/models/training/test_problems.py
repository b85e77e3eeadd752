"""Every sentence is in both languages, the English one word by word."""

from __future__ import annotations

import re
from string import Formatter

from app.languages import locale
from models.training.problems import SENTENCES


def with_plurals(text: str) -> str:
    """The English sentence with the forms for more than one: the app alone has forms for one."""
    return re.sub(r"\{\w+\|[^|{}]*\|([^{}]*)\}", r"\1", text)


def places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_sentences_are_in_the_locale_files() -> None:
    english, chinese = locale("en")["errors"], locale("zh")["errors"]
    for key, sentence in SENTENCES.items():
        assert with_plurals(english[key]) == sentence
        assert places(chinese[key]) == places(sentence)
