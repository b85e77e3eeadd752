"""Every word in every language, and nothing that is only in one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from app import i18n, languages
from app.languages import LANGUAGES, locale, preferred_language
from components.phrase import fill
from components.stage_data import BESIDE
from models.errors import InputError
from models.vocabulary import ORDER, PARAMETERS, STEPS
from scripts.live import ROOT

OTHERS = [code for code in LANGUAGES if code != "en"]
SAME = {"I love NLP", "The animal …", "512 / 8", "我喜欢苹果"}  # the examples are the same for everybody


def leaves(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def places(text: str) -> set[str]:
    return {name.split("|")[0] for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", OTHERS)
def test_all_languages_have_the_same_keys(code: str) -> None:
    assert {key for key, _ in leaves(locale(code))} == {key for key, _ in leaves(locale("en"))}


@pytest.mark.parametrize("code", OTHERS)
def test_all_languages_fill_the_same_places(code: str) -> None:
    other = dict(leaves(locale(code)))
    wrong = {
        key: (text, other[key]) for key, text in leaves(locale("en")) if places(text) != places(other[key])
    }
    assert wrong == {}


@pytest.mark.parametrize("code", OTHERS)
def test_nothing_long_is_left_untranslated(code: str) -> None:
    other = dict(leaves(locale(code)))
    words = re.compile(r"[A-Za-z]{2,}.*\s.*[A-Za-z]{2,}")
    same = [
        key
        for key, text in leaves(locale("en"))
        if text == other[key] and words.search(re.sub(r"{.*?}", "", text))
    ]
    assert [key for key in same if other[key] not in SAME] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_is_empty(code: str) -> None:
    separators = ("space", "sep")  # Chinese sentences follow each other without a space
    assert [
        key for key, text in leaves(locale(code)) if not text and key.split(".")[-1] not in separators
    ] == []


def used_keys() -> Iterator[tuple[str, str]]:
    """File and key of every `t("…")` in the app, as a pattern where the key is put together."""
    for path in (ROOT / "app").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("t", "_text") and call.args:
                yield from ((path.name, pattern) for pattern in patterns(call.args[0]))


def patterns(key: ast.expr) -> Iterator[str]:
    if isinstance(key, ast.IfExp):
        yield from patterns(key.body)
        yield from patterns(key.orelse)
    elif isinstance(key, ast.Constant):
        yield re.escape(str(key.value))
    elif isinstance(key, ast.JoinedStr):
        parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"[\w.]+" for p in key.values)
        yield "".join(parts)


def test_every_key_in_the_code_exists() -> None:
    keys = [key for key, _ in leaves(locale("en"))]
    used = set(used_keys())
    assert len(used) > 50
    assert [use for use in used if not any(re.fullmatch(use[1], key) for key in keys)] == []


def test_every_input_error_has_its_sentence() -> None:
    """Every key that models/ raises is in the table, with places that the error fills."""
    known = locale("en")["errors"]
    raised = set()
    app = "".join(path.read_text("utf-8") for path in (ROOT / "app").rglob("*.py"))
    for path in (ROOT / "models").rglob("*.py"):
        if "pretrained" in path.parts and "models.pretrained" not in app:
            continue  # no page uses them yet
        raised |= set(re.findall(r"InputError\(\s*\"(\w+)\"", path.read_text("utf-8")))
    assert raised
    assert raised <= set(known)


def test_t_fills_and_refuses() -> None:
    assert i18n.t("sidebar.tokens", count=3) == "3 tokens"
    with pytest.raises(KeyError):
        i18n.t("sidebar.no_such_text")
    with pytest.raises(KeyError):
        i18n.t("sidebar")
    with pytest.raises(KeyError):
        i18n.t("sidebar.tokens")
    with pytest.raises(KeyError):
        i18n.table("no_such_table")


def test_values_are_never_read_as_templates() -> None:
    error = InputError("unknown_choice", "", name="{name}", value="{0.__class__}", allowed="a")
    assert "{0.__class__}" in i18n.error_text(error)


def test_browser_languages() -> None:
    assert [preferred_language(tag) for tag in ("zh-CN", "zh_TW", "EN-us", "fr", "", None)] == [
        "zh", "zh", "en", "en", "en", "en",
    ]  # fmt: skip


def test_a_third_language_is_one_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fr.toml").write_text('[meta]\nname = "Français"\n', "utf-8")
    monkeypatch.setattr(languages, "LOCALES", tmp_path)
    languages.locale.cache_clear()
    try:
        assert languages._discover() == {"fr": "Français"}
    finally:
        languages.locale.cache_clear()


@pytest.mark.parametrize("value", ["x" * 100_000, "\ud800", 10**4000])
def test_an_error_s_sentence_stays_short_and_can_be_sent(value: object) -> None:
    error = InputError("unknown_choice", "", name="kind", allowed="a", value=value)
    text = i18n.error_text(error)
    assert len(text) < 1000
    text.encode("utf-8")


# What can never be one, or is no count: a size of at least two, a number that is a name, a measure with decimals.
NEVER_ONE = {
    *("sidebar.cut", "errors.heads_do_not_divide", "errors.matrix_empty", "errors.matrix_shape"),
    *("errors.matrix_text_too_long", "errors.lab_one_token", "errors.task_too_long"),
    *("errors.checkpoint_too_large", "compare.changed", "compare.lengths", "matrices.too_wide"),
    *("matrices.many_changed", "components.head_grid.pooled"),
    *("heads.lead", "heads.together.text", "heads.parameters.equal"),
    *("stage.table_too_large", "stage.sentences.concat", "stage.sentences.output"),
    *("stage.sentences.masked", "stage.sentences.head_output", "stage.sentences.head_output_some"),
    *("stage.sentences.all_heads", "stage.sentences.masked_window", "stage.sentences.window_output"),
    *(
        "stage.sentences.head_output_window",
        "stage.sentences.head_output_window_none",
        "steps.part",
        "steps.part_cross",
    ),
    *("stage.sentences.made_of_some", "stage.sentences.scores_tie", "step_through.code_too_long"),
    *("trained.cut", "trained.overview.lead_some", "lab.scale.measured", "lab.position.sampled"),
    *(
        "lab.position.says_pair",
        "lab.position.says_single",
        "lab.position.says_learned",
        "lab.position.alike_odd",
    ),
    *(
        "lab.masks.moves",
        "lab.order.mask_tells",
        "lab.order.moved",
        "lab.order.word_moved",
    ),
    *("lab.cost.steps", "lab.cost.gradient"),
    *("training.heads_do_not_divide", "training.status_running", "training.kind_encoder"),
    *("training.kind_decoder", "training.kind_encoder_decoder", "roles.as_many"),
    *(
        "roles.unit.distance",
        "cause.scan.part",
    ),
    *("roles.measured_repeat", "roles.measured_sentences", "roles.measured_task"),
    *(
        "stage.sentences.position_sine",
        "stage.sentences.position_cosine",
        "errors.grow_prompt_too_long",
        "trained.rows_not_finite",
    ),
}
NOUNS = (
    *(
        "tokens",
        "heads",
        "layers",
        "numbers",
        "weights",
        "scores",
        "cells",
        "keys",
        "values",
        "rows",
        "columns",
    ),
    *("dimensions", "positions", "places", "steps", "outputs", "texts", "sentences", "examples", "sequences"),
    *("trainings", "others", "bytes", "characters", "symbols", "tensors", "buckets", "vectors", "terms"),
)
COUNTED = re.compile(
    rf"(\{{[^{{}}|]+\}}) (?:source |target |built-in |other |smaller )?({'|'.join(NOUNS)})\b"
)


def test_no_english_count_is_followed_by_a_plural_alone() -> None:
    """“1 layers”: a count is followed by {count|layer|layers}, or can never be one."""
    wrong = [
        (key, found[0])
        for key, text in leaves(locale("en"))
        if key not in NEVER_ONE
        for found in COUNTED.finditer(text)
    ]
    assert wrong == []


def test_a_word_goes_with_its_count() -> None:
    assert [i18n.t("sidebar.tokens", count=n) for n in (0, 1, 2)] == ["0 tokens", "1 token", "2 tokens"]
    assert "1 layer, 4 heads each" in i18n.t("translate.size", layers=1, heads=4)
    assert "1 head in 1 layer reads 1 token." in i18n.t(
        "trained.overview.lead", heads="1", layers=1, tokens=1
    )
    with pytest.raises(KeyError):
        fill("{count|one}", {"count": 1})


@pytest.mark.parametrize("code", languages.LANGUAGES)
def test_every_step_that_can_be_gone_to_has_a_title_and_every_matrix_a_name(code: str) -> None:
    stage = locale(code)["stage"]
    assert {step for step in ORDER if step not in BESIDE} <= set(stage["titles"])
    unnamed = {row.name for row in (*STEPS, *PARAMETERS) if not row.symbol and row.name not in stage["names"]}
    assert unnamed == set()
