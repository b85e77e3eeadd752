"""The page of what heads do, without a browser: all models, both languages, whatever is typed."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.labs.knobs import KNOBS
from app.languages import LANGUAGES, locale
from app.model_view import EXAMPLES
from app.trained.roles.grid import LOOKS
from app.trained.roles.table import as_csv, strongest_first
from app.trained.roles.words import CHOICES, FORMULAS
from app.url import State, encode
from models.head_roles import MEASURES, ROLES
from models.pretrained import load_model
from tests.app.pages import choice, choose, healthy, open_page
from tests.app.test_model_pages import written
from tests.models.pretrained import folders

KNOWN = [name for name in ("minilm", "smollm2", "en-pt") if name in EXAMPLES]


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    for name in KNOWN:
        load_model(name)


def example(name: str, **changes: str) -> dict[str, str]:
    return {**encode(State(model=EXAMPLES[name])), **changes}


def grid(at: AppTest) -> dict[str, Any]:
    """What the grid of heads was given."""
    found = next(e.proto for e in at.get("bidi_component") if e.proto.component_name == "am_value_grid")
    data: dict[str, Any] = json.loads(found.mixed.json)
    return data


def drawn(at: AppTest) -> set[str]:
    return {element.proto.component_name for element in at.get("bidi_component")} - {
        "am_address",
        "am_token_strip",
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", KNOWN)
def test_every_ready_model_in_every_language(name: str, language: str) -> None:
    at = open_page("roles", example(name, lang=language))
    assert healthy(at)
    assert drawn(at) == {"am_value_grid", "am_matrix", "am_save_file"}
    assert len(at.dataframe) == 1
    assert "{" not in written(at)
    assert dict(at.query_params) == example(name, **({"lang": language} if language != "en" else {}))


@pytest.mark.parametrize("measure", CHOICES)
def test_every_measure(measure: str) -> None:
    at = open_page("roles", {"r_measure": measure})
    assert healthy(at)
    data = grid(at)
    assert len(data["names"]) == 72
    assert bool(data["groups"]) == (measure == "role")
    table = at.dataframe[0].value
    if measure in table.columns and measure != "role":
        shown = [value for value in table[measure] if not math.isnan(value)]
        assert shown == sorted(shown, reverse=True)
        assert list(table.columns)[3] == measure
        assert f"{shown[0]:.2f}" in " ".join(data["tips"]) or measure == "distance"


def test_minilm_s_previous_token_head() -> None:
    at = open_page("roles", {"layer": "0", "mhead": "2"})
    assert "Looks at the token before: 1.00 of its attention" in " ".join(written(at).split())
    assert grid(at)["tips"][2].startswith("previous token 1.00 (even attention 0.06")


def test_smollm2_s_induction_head_on_random_tokens() -> None:
    at = open_page("roles", example("smollm2", r_on="repeat", r_measure="induction"))
    assert healthy(at)
    first = at.dataframe[0].value.iloc[0]
    assert (first["layer"], first["head"], first["role"]) == ("L18", "H6", "induction")
    assert first["induction"] == pytest.approx(0.90, abs=0.05)
    assert "Measured on 2 sequences of random tokens" in written(at)
    assert "Left out: next token. No query may see a later key." in written(at)
    assert "next" not in at.dataframe[0].value.columns


def test_without_the_first_token_more_heads_have_a_role() -> None:
    plain = open_page("roles", example("smollm2", r_on="repeat"))
    aside = plain.toggle(key="am.model_sink").set_value(True).run()
    assert healthy(aside)
    assert dict(aside.query_params)["sink"] == "1"
    assert grid(aside)["members"].count(ROLES.index("induction")) >= 5
    assert "The first token is set aside" in written(aside)


def test_between_two_texts_what_means_nothing_is_left_out() -> None:
    at = open_page("roles", example("en-pt"))
    assert "Between two texts these mean nothing and are left out: previous token" in written(at)
    columns = list(at.dataframe[0].value.columns)
    assert columns == ["layer", "head", "role", "first", "separator", "diagonal", "entropy", "evenness"]
    at = open_page("roles", example("en-pt", r_measure="previous"))  # can be chosen, and is hatched
    assert healthy(at)
    assert set(grid(at)["labels"]) == {""}
    at = choose(at, "am.model_stack", ("encoder", "self"))
    assert healthy(at)
    assert len(grid(at)["names"]) == 48


def test_a_text_without_repeats_has_no_induction_and_says_so() -> None:
    at = open_page(
        "roles", example("smollm2", mtext="Every word stands here once only.", r_measure="induction")
    )
    assert healthy(at)
    assert "Left out: earlier copies, induction. At least three tokens of this text" in written(at)
    assert all(tip.endswith("not measured") for tip in grid(at)["tips"])
    assert "induction" not in at.dataframe[0].value.columns


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a a a a a a a a",
        "。",
        "</script><b>$x$ :red[x] **b** `c`",
        "你好，世界！👨‍👩‍👧 💩\n\n\ttab",
        "[MASK] [SEP] <s>",
    ],
)
def test_unusual_texts(name: str, text: str) -> None:
    at = open_page("roles", {"model": name, "mtext": text})
    assert healthy(at)
    assert drawn(at) == {"am_value_grid", "am_matrix", "am_save_file"}
    bodies = " ".join(block.proto.body for block in at.get("html")).lower()
    assert "</script" not in bodies
    assert "<b>$x$" not in bodies


def test_one_token_says_that_it_is_too_short() -> None:
    at = open_page("roles", {"model": "smollm2", "mtext": "a"})
    assert "Too short to measure anything" in written(at)
    assert "Nothing could be measured." in written(at)
    assert set(grid(at)["members"]) == {-1}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_text_gets_a_sentence(language: str) -> None:
    at = open_page("roles", {"lang": language})
    at = at.text_area(key="am.model_text").set_value(" ").run()
    assert healthy(at)
    assert drawn(at) == set()
    at = at.text_area(key="am.model_text").set_value("two words").run()
    assert drawn(at) == {"am_value_grid", "am_matrix", "am_save_file"}


def test_a_long_text() -> None:
    at = open_page("roles")
    at = at.text_area(key="am.model_text").set_value("The ship left the harbour at dawn. " * 120).run()
    assert healthy(at)
    assert "this text of 512 tokens" in written(at)
    assert healthy(at.run())


@pytest.mark.parametrize(
    "query",
    [
        {"r_measure": "nothing", "r_on": "x", "r_sort": "y"},
        {"r_on": "task"},
        {"r_on": "repeat", "model": "en-pt"},
        {"layer": "999", "mhead": "999", "r_sort": "place"},
        {"part": "bb", "words": "1", "special": "0", "sink": "1"},
    ],
)
def test_unusual_addresses(query: dict[str, str]) -> None:
    at = open_page("roles", query)
    assert healthy(at)
    assert drawn(at) == {"am_value_grid", "am_matrix", "am_save_file"}


def test_a_sample_that_another_model_had_becomes_one_of_this_model() -> None:
    at = open_page("roles", example("smollm2", r_on="repeat"))
    at = choice(at, "am.model_ready").select("en-pt").run()
    assert healthy(at)
    assert dict(at.query_params)["r_on"] == "sentences"
    assert "Measured on 4 built-in sentences" in written(at)


def test_the_order_of_the_rows() -> None:
    at = open_page("roles", {"r_sort": "place"})
    table = at.dataframe[0].value
    assert [*zip(table["layer"], table["head"], strict=True)][:13] == [("L0", f"H{n}") for n in range(12)] + [
        ("L1", "H0")
    ]
    assert "r_sort" not in dict(choose(at, "am.r_sort", "score").query_params)


@pytest.mark.parametrize("make", [folders.llama, folders.bert, folders.bloom, folders.t5])
def test_folders(make: Any, tmp_path: Path) -> None:
    folder = folders.save(tmp_path, make())
    at = open_page("roles", {"model": str(folder), "mtext": "one two three one two three"})
    at = at.button(key="am.open_own").click().run()
    assert healthy(at)
    assert "am_value_grid" in drawn(at)
    at = choose(at, "am.r_on", "sentences")
    assert healthy(at)
    assert dict(at.query_params)["r_on"] == "sentences"


def test_rows_in_order() -> None:
    rows: list[dict[str, object]] = [
        {"head": 0, "role": "broad", "evenness": 0.95, "previous": None},
        {"head": 1, "role": None, "evenness": 0.5, "previous": 0.3},
        {"head": 2, "role": "previous", "evenness": 0.1, "previous": 0.8},
        {"head": 3, "role": "previous", "evenness": 0.1, "previous": 0.9},
    ]
    assert [row["head"] for row in strongest_first(rows, "role")] == [3, 2, 0, 1]
    assert [row["head"] for row in strongest_first(rows, "previous")] == [3, 2, 1, 0]


def test_the_file_has_all_rows_and_empty_places() -> None:
    text = as_csv([{"layer": 0, "head": 1, "role": None, "previous": 0.123456789, "next": None}]).decode()
    assert list(csv.reader(io.StringIO(text))) == [
        ["layer", "head", "role", "previous", "next"], ["0", "1", "", "0.123457", ""]
    ]  # fmt: skip


def test_all_lists_of_measures_agree() -> None:
    assert KNOBS["r_measure"].options == CHOICES == ("role", *MEASURES)
    assert set(FORMULAS) == set(MEASURES)
    assert set(LOOKS) == set(ROLES)
    for code in LANGUAGES:
        words = locale(code)
        assert set(words["trained"]["kind"]) == {*MEASURES, "broad"}
        assert set(words["roles"]["about"]) == {*MEASURES, "role"}
        assert set(words["roles"]["source"]) == set(MEASURES)
        assert set(words["roles"]["says"]) == set(ROLES)


@pytest.mark.parametrize(
    ("query", "stacks"),
    [
        ({"mtext": "Zq7pLw3xZq7pLw3xZq7p"}, 1),
        (
            {
                "mtext": "3021",
                "t_task": "words-zh",
                "stream": "decoder",
                "kind": "cross",
                "r_measure": "diagonal",
            },
            3,
        ),
    ],
)
def test_a_model_of_the_session_s_own(query: dict[str, str], stacks: int) -> None:
    at = open_page("roles", {"model": "mine", **query})
    assert healthy(at)
    assert drawn(at) == {"am_value_grid", "am_matrix", "am_save_file"}
    at = choose(at, "am.r_on", "task")
    assert healthy(at)
    assert "examples of the task" in written(at)
    groups = [group for group in at.get("button_group") if group.key.startswith("am.model_stack.")]
    assert len(groups[0].options if groups else [1]) == stacks
