"""Where an address leads: by a link, by the browser's history, on a reload. Without a browser."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from app import address
from app.bindings import with_settings
from app.overlong import rest_of
from app.state import State
from tests.app.pages import go_to, open_page, sentence

LONG = "word " * 1_300


def arrive(app: AppTest, path: str, **query: str) -> AppTest:
    """The browser asks for another page with this query: a link of the app has `go`, Back has not."""
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    return go_to(app, path)


def test_a_link_keeps_the_state_whatever_its_query_says() -> None:
    app = open_page(query={"text": "I love tea"})
    app.text_area(key="am.text").set_value("I love milk").run()
    arrive(app, "heads", text="I love tea", go="1")  # drawn before the text was typed
    assert sentence(app) == "I love milk"
    assert app.query_params.get("go") is None


def test_back_to_another_page_brings_its_sentence() -> None:
    app = open_page(query={"text": "I love tea"})
    app.text_area(key="am.text").set_value("I love milk").run()
    arrive(app, "heads", text="I love milk", go="1")
    app.text_area(key="am.text").set_value("I love juice").run()
    arrive(app, "", text="I love milk")
    assert sentence(app) == "I love milk"
    arrive(app, "heads", text="I love juice")  # and Forward
    assert sentence(app) == "I love juice"


def test_the_language_is_not_undone() -> None:
    app = open_page(query={"lang": "zh"})
    arrive(app, "heads", text="I love tea")
    assert app.query_params["lang"] == "zh"
    assert sentence(app) == "I love tea"


def test_a_hostile_address_of_the_history_is_read_like_any_other() -> None:
    app = open_page()
    arrive(app, "heads", text="I love tea", heads="-3", head="99", rest="text-zz")
    assert not app.exception
    assert sentence(app) == "I love tea"
    assert any("heads" in text.value for text in app.text)


def test_an_address_without_its_rest_asks_the_tab_and_says_what_is_missing() -> None:
    rest = rest_of(with_settings(State(), text=LONG))
    assert rest is not None
    app = open_page(query={"rest": rest[0]})
    assert app.query_params["rest"] == rest[0]  # still looked for
    with_answer(app, rest[0], None)
    assert any("not kept in this tab: the sentence" in text.value for text in app.text)
    assert "rest" not in app.query_params


def test_the_tab_brings_it_back() -> None:
    rest = rest_of(with_settings(State(), text=LONG))
    assert rest is not None
    app = open_page(query={"rest": rest[0], "heads": "2"})
    with_answer(app, rest[0], rest[1])
    assert sentence(app) == LONG
    assert app.number_input(key="am.heads").value == 2
    assert app.query_params["rest"] == rest[0]


def with_answer(app: AppTest, name: str, text: Any) -> None:
    """What the component in the browser would report (AppTest has no browser)."""
    import unittest.mock

    real = address.browser_history

    def answered(**given: Any) -> None:
        real(**given)
        given["on_found"](name, text)

    with unittest.mock.patch.object(address, "browser_history", answered):
        app.run()
    app.run()
