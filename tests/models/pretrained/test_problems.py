"""Every sentence about what can go wrong exists in the app's languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from string import Formatter

import pytest

from app.languages import locale
from components.phrase import fill
from models.pretrained.problems import SENTENCES, full_disk_means, megabytes, no_space, problem
from scripts.live import ROOT


def keys_used() -> Iterator[str]:
    for path in (ROOT / "models" / "pretrained").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = (
                getattr(call.func, "id", getattr(call.func, "attr", "")) if isinstance(call, ast.Call) else ""
            )
            if name in ("InputError", "problem") and isinstance(call, ast.Call):
                yield from (
                    str(node.value) for node in ast.walk(call.args[0]) if isinstance(node, ast.Constant)
                )


def test_notebooks_and_the_app_say_the_same() -> None:
    """Word for word, with counts above one (the app alone has forms for one)."""
    numbers = ("count", "numbers", "tensors", "needed", "free", "size", "limit", "token", "vocabulary")
    words = (
        "model",
        "wheel",
        "expected",
        "folder",
        "file",
        "name",
        "ready",
        "detail",
        "kind",
        "first",
        "input",
    )
    values: dict[str, object] = {**dict.fromkeys(numbers, 5678), **{word: f"<{word}>" for word in words}}
    said = locale("en")["errors"]
    assert {key: fill(said[key], values) for key in SENTENCES} == {
        key: text.format(**values) for key, text in SENTENCES.items()
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_key_has_a_sentence(language: str) -> None:
    assert sorted(set(keys_used()) - set(locale(language)["errors"])) == []


def test_every_sentence_is_used_and_says_what_to_do() -> None:
    assert set(SENTENCES) - set(keys_used()) <= {
        "model_config_broken",
        "model_cannot_load",
        "model_cannot_run",
    }
    assert [key for key, text in SENTENCES.items() if text.count(".") < 2] == []


def test_places_are_filled() -> None:
    error = problem("model_no_memory", model="A {brace}", needed=1234, free=5)
    assert "A {brace} needs about 1,234 MB" in str(error)
    assert (error.key, error.values) == ("model_no_memory", {"model": "A {brace}", "needed": 1234, "free": 5})
    places = {name for text in SENTENCES.values() for _, name, _, _ in Formatter().parse(text) if name}
    assert places <= {
        *("model", "wheel", "expected", "needed", "free", "folder", "file", "name", "ready", "detail"),
        *("kind", "count", "first", "token", "vocabulary", "size", "limit", "numbers", "tensors", "input"),
    }


def test_sizes_are_rounded_so_that_they_suffice() -> None:
    assert megabytes(1) == 1
    assert megabytes(2_000_000) == 2
    assert no_space("M", 2_000_001, 1_999_999).values == {"model": "M", "needed": 3, "free": 1}


def test_only_a_full_disk_is_called_a_full_disk() -> None:
    with pytest.raises(OSError, match="other"), full_disk_means(no_space("M", 1, 1)):
        raise OSError(5, "other")
