"""A tokenizer that panics, at loading and later, ends in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.errors import InputError
from models.panics import is_panic
from models.pretrained import load_model
from models.pretrained.panics import panics_said
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save

SEP = {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}
LONG = "x" * 40  # more retries than the regex engine allows


def template(single: list[Any], pair: list[Any]) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": {"[SEP]": SEP}}


def names_an_unknown_token(tokenizer: dict[str, Any]) -> None:
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    unknown = {"SpecialToken": {"id": "[NONE]", "type_id": 0}}
    tokenizer["post_processor"] = template([unknown, sequence], [sequence, sequence])


def names_an_unknown_token_in_pairs(tokenizer: dict[str, Any]) -> None:
    first, second = ({"Sequence": {"id": name, "type_id": 0}} for name in ("A", "B"))
    known, unknown = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("[SEP]", "[NONE]"))
    tokenizer["post_processor"] = template([first], [first, known, unknown, second])


def explodes(tokenizer: dict[str, Any]) -> None:
    """Its pattern takes exponential time on a row of x."""
    tokenizer["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "(x+x+)+y"},
        "behavior": "Isolated",
        "invert": False,
    }


def folder_with(
    change: Callable[[dict[str, Any]], None], folder: Path, make: Callable[[], Any] = folders.llama
) -> Path:
    save(folder, make())
    file = folder / "tokenizer.json"
    tokenizer = json.loads(file.read_text("utf-8"))
    change(tokenizer)
    file.write_text(json.dumps(tokenizer), "utf-8")
    return folder


def test_at_loading(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_model(folder_with(names_an_unknown_token, tmp_path))
    assert caught.value.key in ("model_no_tokenizer", "model_tokenizer_failed")


def test_at_a_text(tmp_path: Path) -> None:
    model = load_model(folder_with(explodes, tmp_path))
    with pytest.raises(InputError) as caught:
        model.trace(LONG)
    assert caught.value.key == "model_tokenizer_failed"
    assert is_panic(caught.value.__cause__ or ValueError())
    assert model.trace("the fox").calls, "the lock is given back"


def test_at_a_pair(tmp_path: Path) -> None:
    model = load_model(folder_with(names_an_unknown_token_in_pairs, tmp_path, folders.bert))
    assert model.trace("the fox").calls
    with pytest.raises(InputError) as caught:
        model.trace("the fox", "over it")
    assert caught.value.key == "model_tokenizer_failed"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_all_else_passes(error: type[BaseException]) -> None:
    with pytest.raises(error), panics_said():
        raise error
