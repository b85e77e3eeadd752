"""The encoder–decoder page, without a browser: every kind of model, both languages, whatever is typed."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES
from app.model_view import EXAMPLES
from app.url import State, encode
from models.pretrained import load_model
from tests.app.pages import choice, choose, healthy, open_page
from tests.models.pretrained.folders import bert, llama, marian, save, t5

DRAWN = {"am_architecture", "am_matrix", "am_token_links"}
HOSTILE = "</script><script>alert(1)</script> $x$ :red[x] **b** `c` &amp; a<b<c"


def components(at: AppTest) -> set[str]:
    return {element.proto.component_name for element in at.get("bidi_component")} - {"am_address"}


def written(at: AppTest) -> str:
    """The page's own words without tags, and its notices."""
    bodies = " ".join(block.proto.body for block in at.get("html") if "<style" not in block.proto.body)
    return html.unescape(re.sub(r"<[^>]+>", " ", bodies)) + "\n".join(str(text.value) for text in at.text)


def payload(at: AppTest, component: str = "am_architecture") -> dict[str, Any]:
    """What is sent to the browser, without the arrays."""
    element = next(e for e in at.get("bidi_component") if e.proto.component_name == component)
    found: dict[str, Any] = json.loads(element.proto.mixed.json)
    return found


def places(at: AppTest) -> list[tuple[str, str]]:
    """Kind and size (or title) of every part of both towers, from bottom to top."""
    drawn = payload(at)
    parts = [part for side in ("encoder", "decoder") for part in drawn[side]["parts"]]
    return [(part["kind"], part.get("size", part["title"])) for part in parts]


def example(name: str, **changes: str) -> dict[str, str]:
    return {**encode(State(model=EXAMPLES[name])), **changes}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_translator(language: str) -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt", lang=language))
    assert healthy(at)
    assert components(at) == DRAWN
    assert "{" not in written(at)
    kinds = [kind for kind, _ in places(at)]
    assert kinds == ["self", "feed_forward", "recurrent", "cross", "feed_forward"]
    assert ("self", "11 × 11") in places(at)
    assert ("cross", "13 × 11") in places(at)
    assert "13 × 11 = 143" in written(at)
    assert re.search(r"vermelho\s+←\s+red\s+0\.9", written(at))
    read = {"en": "Having read", "zh": "读完"}[language]
    assert re.search(rf"{read}\s+um\b.*car\b.*0\.9.*carro", written(at))
    assert "SSRU" in written(at)
    assert payload(at)["chosen"] == "cross"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_with_a_model_that_has_all_three_places(language: str) -> None:
    at = open_page("translate", {"lang": language})
    assert healthy(at)
    assert components(at) == DRAWN
    assert dict(at.query_params)["model"] == f"words-{language}"
    kinds = [kind for kind, _ in places(at)]
    assert kinds == ["self", "feed_forward", "self", "cross", "feed_forward"]
    drawn = payload(at)
    assert (drawn["chosen"], drawn["decoder"]["norm"], drawn["encoder"]["final_norm"]) == (
        "cross",
        "pre",
        True,
    )
    source, target = drawn["encoder"]["tokens"], drawn["decoder"]["tokens"]
    assert ("cross", f"{len(target)} × {len(source)}") in places(at)
    assert "am.open_words-en" not in {button.key for button in at.button}
    assert "{" not in written(at)
    found = re.findall(r"(\w+)\s+←\s+(\d)\s+(\d\.\d\d)", written(at))
    pairs = {(word, digit) for word, digit, weight in found if float(weight) > 0.9}
    right = {
        "en": {("five", "5"), ("seventy", "7"), ("eight", "8")},  # six and 二 are in the sentence before
        "zh": {("三", "3"), ("零", "0"), ("一", "1")},
    }
    assert right[language] <= pairs  # each word looks at the digit that it says


def test_a_model_that_is_chosen_here_stays() -> None:
    load_model("minilm")
    at = open_page("translate")
    at = choice(at, "am.model_ready").select("minilm").run()
    assert healthy(at)
    assert dict(at.query_params) == {"e_stay": "1"}
    assert payload(at)["decoder"]["missing"]
    at = at.button(key="am.open_words-en").click().run()
    assert healthy(at)
    assert [kind for kind, _ in places(at)].count("self") == 2
    at = choice(at, "am.model_ready").select("minilm").run()
    assert payload(at)["decoder"]["missing"]


def test_the_model_of_the_other_pages_stays_when_it_was_chosen_there() -> None:
    load_model("smollm2")
    at = open_page("translate", example("smollm2"))
    assert [kind for kind, _ in places(at)] == ["self", "absent", "feed_forward"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_of_ones_own_that_was_not_trained_here(language: str) -> None:
    at = open_page("translate", {"model": "mine", "lang": language})
    assert healthy(at)
    assert [notice.value for notice in at.text]
    assert "{" not in written(at)


@pytest.mark.parametrize("name", ["repeat", "words-zh"])
def test_the_other_models_of_our_own(name: str) -> None:
    at = open_page("translate", example(name))
    assert healthy(at)
    assert components(at) == DRAWN
    kinds = [kind for kind, _ in places(at)]
    assert payload(at)["decoder"]["layers"] == 2
    assert ("absent" in kinds) == (name == "repeat")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_task_does_not_know_gets_a_sentence(language: str) -> None:
    at = open_page("translate", {"lang": language})
    for text in ("abc", "12345", "", "<script>", "$x$"):
        at = at.text_input(key="am.translate_text").set_value(text).run()
        assert healthy(at)
        assert components(at) == set()
        assert [notice.value for notice in at.text]
    at = at.text_input(key="am.translate_text").set_value("12").run()
    assert components(at) == DRAWN
    at = at.text_input(key="am.translate_target").set_value("twelve monkeys").run()
    assert healthy(at)
    assert components(at) == set()


def test_the_drawing_has_the_models_own_layers_and_tokens() -> None:
    load_model("en-pt")
    drawn = payload(open_page("translate", example("en-pt")))
    assert [drawn[side]["layers"] for side in ("encoder", "decoder")] == [6, 2]
    assert drawn["encoder"]["tokens"][:3] == ["I", "bought", "a"]
    assert drawn["decoder"]["tokens"][0] == "<s>"
    assert drawn["decoder"]["outputs"][:1] == ["Eu"]
    assert (drawn["encoder"]["norm"], drawn["encoder"]["positions"]) == ("post", True)


def test_a_place_that_is_opened_is_shown_and_in_the_address() -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt", stream="encoder", kind="self"))
    assert payload(at)["chosen"] == "encoder"
    assert "11 × 11 = 121" in written(at)
    assert (payload(at, "am_matrix")["rows"], payload(at, "am_matrix")["cols"]) == (11, 11)
    assert dict(at.query_params)["stream"] == "encoder"


def test_a_target_of_ones_own() -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt"))
    at = at.text_input(key="am.translate_target").set_value("Eu comprei um carro azul.").run()
    assert healthy(at)
    assert dict(at.query_params)["mtarget"] == "Eu comprei um carro azul."
    assert at.text_area(key="am.model_target").value == "Eu comprei um carro azul."
    assert "azul" in payload(at)["decoder"]["outputs"]
    at = at.text_input(key="am.translate_target").set_value("").run()
    assert healthy(at)
    assert "vermelho" in payload(at)["decoder"]["outputs"]


def test_the_mean_over_heads() -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt"))
    at = at.toggle(key="am.e_mean").set_value(True).run()
    assert healthy(at)
    assert dict(at.query_params)["e_mean"] == "1"
    assert "mean over 8 heads" in written(at)
    assert {part["shown"] for part in payload(at)["decoder"]["parts"] if "shown" in part} == {"L1 · mean"}
    at = at.toggle(key="am.e_mean").set_value(False).run()
    at = choose(at, "am.model_head", 3)
    assert [part["shown"] for part in payload(at)["decoder"]["parts"] if "shown" in part] == ["L1 · H3"]


def test_a_click_finds_the_head_that_aligns_words() -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt", layer="0", mhead="5"))
    button = at.button(key="am.clearest")
    assert button.label.startswith("Clearest: L1 H0 0.")
    at = button.click().run()
    assert healthy(at)
    assert [part["shown"] for part in payload(at)["decoder"]["parts"] if "shown" in part] == ["L1 · H0"]
    assert "am.clearest" not in {button.key for button in at.button}


FOLDERS = {
    "t5": (t5, ["self", "feed_forward", "self", "cross", "feed_forward"], ""),
    "marian": (marian, ["self", "feed_forward", "self", "cross", "feed_forward"], ""),
    "bert": (bert, ["self", "feed_forward"], "without a decoder"),
    "llama": (llama, ["self", "absent", "feed_forward"], "without an encoder"),
}


def open_folder(folder: Path, **query: str) -> AppTest:
    """A user's own folder is read after a click."""
    at = open_page("translate", {"model": str(folder), "mtext": "the cat sat on the mat", **query})
    return at.button(key="am.open_own").click().run()


@pytest.mark.parametrize("name", FOLDERS)
def test_every_kind_of_model(name: str, tmp_path: Path) -> None:
    build, kinds, lacking = FOLDERS[name]
    at = open_folder(save(tmp_path, build()))
    assert healthy(at)
    assert components(at) == DRAWN
    assert [kind for kind, _ in places(at)] == kinds
    assert (lacking in written(at)) if lacking else ("missing" not in written(at))
    offered = {button.key for button in at.button} & {"am.open_words-en", "am.open_words-zh"}
    assert len(offered) == (2 if lacking else 0)


def test_what_is_hidden_is_counted(tmp_path: Path) -> None:
    at = open_folder(save(tmp_path, t5()), stream="decoder", kind="self", mtarget="the cat")
    drawn = payload(at)
    count = len(drawn["decoder"]["tokens"])
    assert f"{count} × {count} = {count * count}" in written(at)
    assert f"{count * (count - 1) // 2} of them are hidden" in written(at)


def test_layers_and_heads_that_are_not_there(tmp_path: Path) -> None:
    at = open_folder(save(tmp_path, marian()), layer="999", mhead="999", stream="vision", kind="cross")
    assert healthy(at)
    parts = [part for side in ("encoder", "decoder") for part in payload(at)[side]["parts"]]
    assert [part["shown"] for part in parts if "shown" in part] == ["L1 · H3", "L0 · H1", "L0 · H1"]


def test_the_first_model_is_shown_if_it_is_wanted() -> None:
    load_model("minilm")
    at = open_page("translate", {"e_stay": "1"})
    assert healthy(at)
    assert [kind for kind, _ in places(at)] == ["self", "feed_forward"]
    assert payload(at)["decoder"]["missing"]


def test_a_text_of_ones_own_is_kept() -> None:
    load_model("minilm")
    at = open_page("translate", {"mtext": "my own words"})
    assert healthy(at)
    assert at.text_area(key="am.model_text").value == "my own words"


@pytest.mark.parametrize("text", ["", "  ", "\n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_source_gets_a_sentence_and_keeps_its_field(text: str, language: str) -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt", lang=language, mtext=text))
    assert healthy(at)
    assert ("There is no word" if language == "en" else "还没有词") in written(at)
    field = next(box for box in [*at.text_input, *at.text_area] if box.key == "am.translate_text")
    at = field.set_value("Good morning.").run()
    assert components(at) == DRAWN


@pytest.mark.parametrize(
    "query",
    [
        {"mtext": HOSTILE},
        {"mtext": HOSTILE, "mtarget": HOSTILE},
        {"mtext": "a"},
        {"mtext": "word " * 200},
        {"mtext": "two\nlines", "mtarget": "duas\nlinhas"},
        {"mtarget": " "},
        {"mtext": "你好，世界！👨‍👩‍👧 💩"},
        {"words": "1", "special": "0", "sink": "1", "kept": "1", "part": "bb"},
        {"e_mean": "x", "e_stay": "2"},
    ],
    ids=lambda query: next(iter(query.values()))[:12],
)
def test_unusual_input(query: dict[str, str]) -> None:
    load_model("en-pt")
    at = open_page("translate", example("en-pt", **query))
    assert healthy(at)
    assert components(at) == DRAWN
    bodies = " ".join(block.proto.body for block in at.get("html")).lower()
    assert "<script" not in bodies
