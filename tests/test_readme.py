"""What the README shows in Python is so, and what CONTRIBUTING names is there."""

from __future__ import annotations

import doctest
import re

import pytest

from scripts.live import ROOT

README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"(?:^    (?:>>>|\.\.\.|\S).*\n)+", README, re.MULTILINE)
SESSIONS = [text for text in EXAMPLES if text.lstrip().startswith(">>>")]


def test_there_are_examples() -> None:
    assert len(SESSIONS) >= 3
    assert README.count(">>> import") + README.count(">>> from") == sum(
        len(re.findall(r">>> (?:import|from)", text)) for text in SESSIONS
    )


@pytest.mark.parametrize("text", SESSIONS, ids=lambda text: text.split("\n")[0].strip()[4:40])
def test_an_example_gives_what_is_written(text: str) -> None:
    example = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
    said: list[str] = []
    failed, tried = doctest.DocTestRunner().run(example, out=said.append)
    assert tried > 0
    assert failed == 0, "".join(said)


def test_files_that_are_named_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:app|components|models|scripts|tests)/[\w./]*)`", text)
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).exists()] == []
