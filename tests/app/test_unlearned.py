"""Wherever attention of the from-scratch weights is shown, it says that they were not learned, and where learned ones
can be seen; true also of the worked example and of weights that the user has entered."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from app import model_view, unlearned
from app.languages import LANGUAGES, locale
from app.url import decode, encode
from models.build import build
from models.edits import NAMES, Edits, MatrixEdit
from models.origins import weight_origin
from models.settings import PRESETS, Settings
from models.tokenizer import tokenize
from tests.app.pages import healthy, open_page

ANIMAL, FRUIT = PRESETS["animal"], PRESETS["fruit"]
PAGES = ("", "heads", "compare", "matrices", "masks", "order")


def yours(settings: Settings) -> Settings:
    trace = build(settings)
    edits = Edits()
    for name in NAMES:
        edits = edits.with_values(name, torch.ones_like(trace.tensor(name)).tolist())
    return replace(settings, edits=edits)


CASES = {
    "drawn": (ANIMAL, "random"),
    "drawn anew": (replace(ANIMAL, edits=Edits({"w_q": MatrixEdit("reseed", seed=3)})), "random"),
    "the worked example": (FRUIT, "worked"),
    "the worked example's matrices, another word": (replace(FRUIT, text="我 爱 苹果"), "mixed"),
    "one cell typed": (replace(FRUIT, edits=FRUIT.edits.with_cell("w_q", 0, 0, 2.0)), "mixed"),
    "one matrix pasted": (replace(ANIMAL, edits=Edits().with_base("w_k", "identity")), "mixed"),
    "everything pasted": (yours(ANIMAL), "yours"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_line_is_true_of_the_weights(name: str) -> None:
    settings, expected = CASES[name]
    assert weight_origin(settings, tokenize(settings.text)) == expected


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_it_is_said_on_every_page_that_shows_a_pattern(path: str, code: str) -> None:
    for preset, origin in (("animal", "random"), ("fruit", "worked")):
        app = open_page(path, {"lang": code, "preset": preset})
        assert healthy(app)
        assert locale(code)["unlearned"][origin] in [caption.value for caption in app.main.caption]


def test_not_where_nothing_of_them_is_shown() -> None:
    said = set(locale("en")["unlearned"].values())
    for path, query in (("cost", {}), ("scale", {}), ("geometry", {"g_source": "free"}), ("position", {})):
        assert not said & {caption.value for caption in open_page(path, query).main.caption}


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (ANIMAL.text, "minilm"),
        ("I love NLP", "minilm"),
        ("Don't stop at 3.14!", "minilm"),
        ("我 喜欢 苹果", None),
        ("我用Python", None),
        ("Кошка спит", None),
    ],
)
def test_no_model_is_offered_for_what_it_cannot_read(text: str, model: str | None) -> None:
    found = unlearned.trained(text)
    assert (found.model if found else None) == model
    if found:
        assert found.text == text


def test_a_model_that_reads_chinese_is_offered_once_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(model_view.READS, "smollm2", frozenset({"en", "zh"}))
    found = unlearned.trained("我 喜欢 苹果")
    assert found is not None
    assert found.model == "smollm2"


def test_one_click_leads_to_the_same_sentence() -> None:
    app = open_page("heads", {"preset": "animal"})
    button = next(b for b in app.button if b.key == "am.trained_head")
    assert button.label == locale("en")["unlearned"]["same"]
    app = open_page("", {"lang": "zh"})
    button = next(b for b in app.button if b.key == "am.trained_head")
    assert button.label == locale("zh")["unlearned"]["none_zh"]


def test_the_place_can_be_written_into_an_address() -> None:
    state = decode({}, "en")[0]
    view = unlearned.trained(ANIMAL.text)
    assert view is not None
    there = replace(state, model=view)
    assert decode({name: [text] for name, text in encode(there).items()}, "en")[0].model == view


def test_the_trained_head_looks_from_it_to_animal() -> None:
    """MiniLM's L3H1 on this very sentence; a random head of this app sends “it” to “animal” as well, by chance."""
    from models.pretrained import load_model
    from models.pretrained.catalogue import READY_MODELS

    if not READY_MODELS["minilm"].ready:
        pytest.skip("MiniLM has not been fetched")
    view = unlearned.trained(ANIMAL.text)
    assert view is not None
    call = load_model("minilm").trace(view.text).layer(view.layer)
    weights = call.weights(view.head)[view.i]
    assert int(weights.argmax()) == view.j
    assert weights[view.j] > 0.5
    labels = call.trace(view.head).labels("query")
    assert (labels[view.i], labels[view.j]) == ("it", "animal")
