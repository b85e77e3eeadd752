"""Models whose numbers break down: every page of trained models says so, and says nothing else about those numbers."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app import navigation
from app.languages import LANGUAGES
from app.model_view import ModelView
from app.url import State, encode
from tests.app.pages import healthy, open_page
from tests.models.pretrained import folders
from tests.models.pretrained.tokenizers_for_tests import tokenizer_for

TEXT = "the cat sat on the mat"
BROKEN: dict[str, tuple[Callable[[], Any], float]] = {
    "encoder": (folders.bert, math.nan),
    "decoder": (folders.llama, math.nan),
    "infinite": (folders.llama, math.inf),
    "both": (folders.marian, math.nan),
}
SAID = {"en": "The numbers of this model break down", "zh": "这个模型的数值已经失效"}
# what a page says of numbers that are there
CLAIMS = re.compile(r"\bnan\b|NaN ?%|no key is visible|没有可看的键|Nothing stands out|没有突出之处|inf\b")


def spoil(folder: Path, kind: str) -> Path:
    """A model with one number of one embedding spoilt, that of the text's fourth token."""
    make, number = BROKEN[kind]
    model = make()
    third = tokenizer_for("byte_level")(TEXT)["input_ids"][3]
    with torch.no_grad():
        model.get_input_embeddings().weight[third, 0] = number
    return folders.save(folder, model)


def opened(path: str, folder: Path, language: str, i: int) -> AppTest:
    view = ModelView(model=str(folder), text=TEXT, layer=0, head=1, i=i, j=1)
    at = open_page(path, {**encode(State(model=view)), "lang": language})
    return at.button(key="am.open_own").click().run()


def written(at: AppTest) -> str:
    bodies = " ".join(block.proto.body for block in at.get("html") if "<style" not in block.proto.body)
    return html.unescape(re.sub(r"<[^>]+>", " ", bodies)) + "\n".join(str(text.value) for text in at.text)


def payloads(at: AppTest) -> list[str]:
    """The JSON that goes to the components."""
    found = [element.proto for element in at.get("bidi_component")]
    return [text for proto in found if (text := proto.mixed.json or proto.json)]


def refused(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", [entry.path for entry in navigation.GROUPS["trained"]])
@pytest.mark.parametrize("kind", BROKEN)
def test_every_page(kind: str, path: str, language: str, tmp_path: Path) -> None:
    at = opened(path, spoil(tmp_path, kind), language, i=4)
    assert healthy(at), (at.exception, written(at))
    for text in payloads(at):
        json.loads(text, parse_constant=refused)
        assert not re.search(r"[( ]-?(nan|inf)\b", text)
    said = written(at)
    assert not CLAIMS.search(said), CLAIMS.search(said)
    if path != "grow":  # it has a sentence of its own where no token can be chosen
        assert SAID[language] in said


def test_rows_before_the_broken_one_are_read_as_they_are(tmp_path: Path) -> None:
    """A causal model's first tokens never see the fourth."""
    folder = spoil(tmp_path, "decoder")
    before, after = (written(opened("overview", folder, "en", i)) for i in (2, 4))
    assert "looks at" in before
    assert "not numbers (NaN)." not in before.replace(SAID["en"], "")
    assert "the weights of this row are not numbers (NaN)" in after
    assert "12 of 15 rows are not numbers" in written(opened("head", folder, "en", 2))


def test_a_whole_model_says_nothing_of_it(tmp_path: Path) -> None:
    folder = folders.save(tmp_path, folders.llama())
    for path in ("overview", "head", "cell"):
        assert SAID["en"] not in written(opened(path, folder, "en", 2))
