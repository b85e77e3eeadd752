from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from benchmarks import waiting
from benchmarks.visitor import Visitor
from scripts.live import running_app


def test_no_two_edits_are_the_same() -> None:
    texts = [waiting.sentence(number) for number in range(2_000)]
    assert len(set(texts)) == len(texts)


def test_median_and_95th_percentile() -> None:
    assert waiting.spread([float(n) for n in range(101)]) == (50.0, 95.0)


def test_questions_are_asked_until_the_end() -> None:
    asked, seconds = list[int](), list[float]()
    with waiting.asked(lambda: asked.append(1), seconds, pause=0.0):
        while len(asked) < 3:
            pass
    assert len(seconds) == len(asked) >= 3
    assert min(seconds) >= 0


def test_a_visitor_edits_the_text_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("RERUNS", 3), ("VISITORS", 3), ("EDITS", 2)):
        monkeypatch.setattr(waiting, name, number)
    with running_app(waiting.TRIVIAL) as url, Visitor(url) as visitor:
        assert visitor.edit("one") > 0
        visitor.send("two")
        visitor.send("three")
        assert visitor.wait_for_quiet() > 0
        waiting.answer(url)
        pages = {"trivial page": (url, "", "")}
        (row,) = waiting.cpu_rows(pages)
        assert row["ratio"] == pytest.approx(1.0)
        assert len(waiting.crowd(pages["trivial page"])) == 6


def test_a_visitor_stays_on_the_page_that_was_opened() -> None:
    with running_app() as url, Visitor(url, "compare", "preset=animal") as visitor:
        for number in (1, 2):
            visitor.edit(waiting.sentence(number))
            assert parse_qs(visitor.query)["text"] == [waiting.sentence(number)]
        with Visitor(url, "masks", "preset=nlp") as other:
            other.edit("I love tea")
            assert parse_qs(other.query) == {"preset": ["nlp"], "text": ["I love tea"]}
