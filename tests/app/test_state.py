"""The session keeps what the user chose: over pages, languages and wrong turns."""

from __future__ import annotations

import pytest

from app.languages import LANGUAGES
from tests.app.pages import choice, choose, go_to, healthy, open_page, sentence

ODD_TEXT = "a *b* $x$ <script>\n:red[c] 喜欢"


def test_a_language_switch_loses_nothing() -> None:
    app = open_page(query={"preset": "animal", "temp": "0.5", "head": "2", "step": "weights"})
    app.text_area(key="am.text").set_value(ODD_TEXT).run()
    app.number_input(key="am.d_model").set_value(24).run()
    app.toggle(key="am.causal").set_value(True).run()
    before = dict(app.query_params)
    choose(app, "am.language", "zh")
    assert dict(app.query_params) == before | {"lang": "zh"}
    assert sentence(app) == ODD_TEXT
    assert app.number_input(key="am.d_model").value == 24
    assert app.toggle(key="am.causal").value
    assert app.number_input(key="am.temperature").value == 0.5
    choose(app, "am.language", "en")
    assert dict(app.query_params) == before
    assert sentence(app) == ODD_TEXT


def test_pages_share_the_settings() -> None:
    app = open_page(query={"preset": "nlp"})
    app.text_area(key="am.text").set_value(ODD_TEXT).run()
    for path in ("compare", "matrices", ""):
        go_to(app, path)
        assert sentence(app) == ODD_TEXT
        assert dict(app.query_params) == {"preset": "nlp", "text": ODD_TEXT}


def test_an_emptied_sentence_stays_empty() -> None:
    app = open_page(query={"preset": "animal"})
    app.text_area(key="am.text").set_value("").run()
    assert any("no word in the text" in text.value for text in app.text)
    app.toggle(key="am.causal").set_value(True).run()
    assert sentence(app) == ""
    assert app.query_params["text"] == ""
    assert healthy(app)
    assert sentence(open_page(query={"text": ""})) == ""


def test_sizes_that_do_not_fit_are_explained_and_kept() -> None:
    app = open_page(query={"preset": "animal"})
    app.number_input(key="am.d_model").set_value(10).run()
    problem = next(text.value for text in app.text if "d_model = 10" in text.value)
    assert "1, 2, 5, 10" in problem
    assert "last result" in problem
    assert app.number_input(key="am.d_model").value == 10
    assert healthy(app)
    app.number_input(key="am.heads").set_value(5).run()
    assert not any("d_model = 10" in text.value for text in app.text)


def test_a_preset_replaces_everything_that_is_computed() -> None:
    app = open_page(query={"preset": "animal", "seed": "5", "step": "query"})
    choose(app, "am.preset", "paper")
    assert dict(app.query_params) == {"preset": "paper", "step": "query"}
    assert sentence(app) == "I love NLP"
    app.number_input(key="am.seed").set_value(9).run()
    app.button(key="am.reset").click().run()
    assert dict(app.query_params) == {"preset": "paper", "step": "query"}


def test_an_edited_sentence_is_no_preset_and_choosing_it_again_starts_over() -> None:
    app = open_page(query={"preset": "nlp", "text": "I love tea"})
    group = choice(app, "am.preset")
    assert group.value is None
    choose(app, "am.preset", "nlp")
    assert sentence(app) == "I love NLP"


def test_hostile_parameters_give_one_note_until_something_is_changed() -> None:
    query = {
        "preset": "animal",
        "d": "99999",
        "heads": "-1",
        "i": str(10**30),
        "edits": "garbage",
        "step": "__proto__",
    }
    app = open_page(query=query)
    notes = [text.value for text in app.text if "left out" in text.value]
    assert len(notes) == 1
    assert all(name in notes[0] for name in ("d", "heads", "i", "edits", "step"))
    assert healthy(app)
    assert dict(app.query_params) == {"preset": "animal"}
    app.toggle(key="am.causal").set_value(True).run()
    assert not any("left out" in text.value for text in app.text)


def test_repeated_parameters_are_left_out() -> None:
    app = open_page(query={"preset": ["animal", "nlp"]})
    assert any("preset" in text.value for text in app.text)
    assert dict(app.query_params) == {}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_link_brings_its_language(code: str) -> None:
    app = open_page(query={"lang": code})
    group = choice(app, "am.language")
    assert group.value == code


def test_a_sentence_over_the_limit_says_so() -> None:
    app = open_page()
    app.text_area(key="am.text").set_value("word " * 5000).run()
    assert any("5,000 tokens: the first 256 are used" in caption.value for caption in app.caption)
    assert len(sentence(app)) == 25_000
    assert len(app.query_params["text"]) < 1_300


def test_heads_beyond_the_segments_are_a_list() -> None:
    app = open_page(query={"preset": "paper", "head": "5"})
    assert choice(app, "am.head_of_many").value == 5
    choice(app, "am.head_of_many").set_value(7).run()
    assert app.query_params["head"] == "7"
    app.number_input(key="am.heads").set_value(4).run()
    assert app.query_params["head"] == "3"
    app.number_input(key="am.heads").set_value(8).run()
    assert app.query_params["head"] == "7"
