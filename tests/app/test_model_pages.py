"""The pages of trained models, without a browser: both languages, all ready models, whatever is typed."""

from __future__ import annotations

import html
import re

import pytest
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES
from app.model_view import EXAMPLES, ModelView
from app.url import State, encode
from models.pretrained import load_model
from tests.app.pages import REAL_PATHS, choice, choose, go_to, healthy, open_page

DRAWN = {
    "overview": {"am_head_grid", "am_matrix"},
    "head": {"am_matrix", "am_token_links"},
    "cell": {"am_cell"},
}


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    load_model("minilm")


def components(at: AppTest) -> set[str]:
    return {element.proto.component_name for element in at.get("bidi_component")} - {
        "am_address",
        "am_token_strip",
    }


def written(at: AppTest) -> str:
    """The page's own words without tags, and its notices."""
    bodies = " ".join(block.proto.body for block in at.get("html") if "<style" not in block.proto.body)
    return html.unescape(re.sub(r"<[^>]+>", " ", bodies)) + "\n".join(str(text.value) for text in at.text)


def example(name: str, **changes: str) -> dict[str, str]:
    return {**encode(State(model=EXAMPLES[name])), **changes}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", REAL_PATHS)
def test_minilm_in_every_language(path: str, language: str) -> None:
    at = open_page(path, {"lang": language})
    assert healthy(at)
    assert components(at) == DRAWN[path]
    assert "{" not in written(at)


@pytest.mark.parametrize("path", REAL_PATHS)
@pytest.mark.parametrize("name", ["smollm2", "en-pt"])
def test_the_other_ready_models(name: str, path: str) -> None:
    load_model(name)
    at = open_page(path, example(name))
    assert healthy(at)
    assert components(at) == DRAWN[path]
    assert dict(at.query_params) == example(name)


def test_the_overview_says_what_the_model_is() -> None:
    text = written(open_page("overview"))
    for fact in (
        "BertModel",
        "22,713,216",
        "Apache-2.0",
        "all-MiniLM-L6-v2",
        "512 tokens",
        "learned",
        "interface",
    ):
        assert fact in text


def test_grouped_queries_name_the_head_that_serves() -> None:
    load_model("smollm2")
    for path in ("head", "cell"):
        assert "Query head 6 uses the keys and values of key–value head 2" in written(
            open_page(path, example("smollm2"))
        )


def test_what_the_translator_wrote_next() -> None:
    load_model("en-pt")
    assert "after “um” it wrote “carro”" in written(open_page("head", example("en-pt")))


def test_changing_the_model_keeps_the_text() -> None:
    at = open_page("overview", {"mtext": "my own words", "mpair": "and more"})
    load_model("smollm2")
    at = choice(at, "am.model_ready").select("smollm2").run()
    assert healthy(at)
    assert at.text_area(key="am.model_text").value == "my own words"
    assert components(at) == DRAWN["overview"]  # the second sentence, which it cannot read, is left behind


def test_a_second_sentence_can_be_seen_in_four_directions() -> None:
    at = open_page("head", {"mpair": "The dog was tired too."})
    for part, rows, cols in (("aa", 14, 14), ("ab", 14, 6), ("ba", 6, 14), ("bb", 6, 6), ("all", 23, 23)):
        at = choose(at, "am.model_part", part)
        assert healthy(at)
        assert matrix_shape(at) == (rows, cols)
    assert not [
        group for group in open_page("head").get("button_group") if group.key.startswith("am.model_part.")
    ]


def test_whole_words_and_special_tokens() -> None:
    at = open_page("head")
    assert matrix_shape(at) == (16, 16)
    at = at.toggle(key="am.model_special").set_value(False).run()
    assert matrix_shape(at) == (14, 14)
    at = at.toggle(key="am.model_words").set_value(True).run()
    assert matrix_shape(at) == (12, 12)  # didn ' t is one word
    for count in (1, 0):
        assert healthy(choose(at, "am.model_kept", count))
    assert healthy(at.toggle(key="am.model_sink").set_value(True).run())


def matrix_shape(at: AppTest) -> tuple[int, int]:
    """Rows and columns of the matrix, from what is sent to the browser."""
    element = next(e for e in at.get("bidi_component") if e.proto.component_name == "am_matrix")
    payload = element.proto.mixed.json if element.proto.mixed.json else element.proto.json
    found = {name: re.search(rf'"{name}":\s*(\d+)', payload) for name in ("rows", "cols")}
    return tuple(int(match[1]) for match in found.values() if match)  # type: ignore[return-value]


@pytest.mark.parametrize("path", REAL_PATHS)
@pytest.mark.parametrize(
    "query",
    [
        {"layer": "999", "mhead": "999", "mi": "9999", "mj": "9999"},
        {"layer": "-1", "mhead": "-1", "mi": str(10**9), "stream": "x", "kind": "self"},
        {"stream": "decoder", "kind": "cross", "part": "bb", "words": "1", "special": "0", "sink": "1"},
        {"mtext": "</script><script>alert(1)</script> $x$ :red[x] **b** `c` &amp; a<b<c"},
        {"mtext": "a"},
        {"mtext": "你好，世界！👨‍👩‍👧 💩\n\n\ttab"},
        {"mtext": "[MASK] [SEP] <s>"},
        {"mpair": " ", "mtarget": " "},
    ],
    ids=lambda query: next(iter(query.values()))[:20],
)
def test_unusual_addresses(query: dict[str, str], path: str) -> None:
    at = open_page(path, query)
    assert healthy(at)
    assert components(at) == DRAWN[path]
    bodies = " ".join(block.proto.body for block in at.get("html")).lower()
    assert "<script" not in bodies
    assert "</script" not in bodies


def test_the_address_says_what_is_shown_in_place_of_what_is_not_there() -> None:
    at = open_page("cell", {"layer": "999", "mhead": "999", "mi": "9999", "mj": "9999"})
    assert dict(at.query_params) == {"layer": "5", "mhead": "11", "mi": "15", "mj": "15"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_gets_a_sentence(text: str, language: str) -> None:
    at = open_page("overview", {"lang": language})
    at = at.text_area(key="am.model_text").set_value(text).run()
    assert healthy(at)
    assert ("There is no word" if language == "en" else "还没有词") in written(at)
    at = at.text_area(key="am.model_text").set_value("two words").run()
    assert components(at) == DRAWN["overview"]


def test_5000_words_are_cut_and_counted() -> None:
    at = open_page("overview")
    at = at.text_area(key="am.model_text").set_value("word " * 5000).run()
    for path in REAL_PATHS:
        at = go_to(at, path)
        assert healthy(at)
        assert re.search(r"The text has \d+ tokens; 512 are read\. The last \d+ were cut off", written(at))


def test_a_long_text_can_be_looked_at_again() -> None:
    """The second look comes from what was kept, which once failed with the progress bar of the first."""
    load_model("en-pt")
    at = open_page("overview", {"model": "en-pt"})
    at = at.text_area(key="am.model_text").set_value("The ship left the harbour at dawn. " * 110).run()
    assert healthy(at)
    assert components(at) == DRAWN["overview"]
    at = at.run()
    assert healthy(at)
    assert components(at) == DRAWN["overview"]


def test_one_model_takes_no_second_sentence_and_says_so() -> None:
    at = open_page("overview", {**example("smollm2"), "mpair": "x"})
    assert "reads one text" in written(at)
    assert at.text_area(key="am.model_pair").value == "x"  # and the field is there to empty it


def test_the_default_view_has_a_clean_address() -> None:
    assert dict(open_page("overview").query_params) == {}
    assert ModelView().model == "minilm"


def test_the_small_pictures_obey_what_the_matrix_obeys() -> None:
    """Whole words and special tokens: both are drawn of the same rows and columns."""
    at = open_page("overview", {"words": "1", "special": "0"})
    assert healthy(at)
    grid = next(e for e in at.get("bidi_component") if e.proto.component_name == "am_head_grid")
    payload = grid.proto.mixed.json or grid.proto.json
    sizes = tuple(int(re.search(rf'"{name}":\s*(\d+)', payload)[1]) for name in ("rows", "cols"))  # type: ignore[index]
    assert sizes == matrix_shape(at) == (12, 12)
