"""The list of ready models, and where they are kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from models.pretrained import catalogue, manifest
from models.pretrained.catalogue import READY_MODELS, cache_folder


def test_every_model_is_pinned_and_described() -> None:
    assert list(READY_MODELS) == ["minilm", "smollm2", "en-pt"]
    for name, model in READY_MODELS.items():
        assert model.name == name
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
        assert re.fullmatch(rf"{model.wheel}==[\d.]+ --hash=sha256:{model.sha256}", model.requirement)
        assert model.licence in {"Apache-2.0", "MPL-2.0", "MIT"}
        assert model.source
        assert model.summary.endswith(".")
        assert model.space_needed > model.download_bytes + model.disk_bytes


def test_no_temporary_folder_of_one_model_is_taken_for_that_of_another() -> None:
    prefixes = [f".{name}.work-" for name in READY_MODELS]
    assert not [(a, b) for a in prefixes for b in prefixes if a != b and a.startswith(b)]


def test_the_cache_follows_attention_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path / "models"))
    assert READY_MODELS["minilm"].path.parent == tmp_path / "models"
    assert not READY_MODELS["minilm"].ready
    READY_MODELS["minilm"].path.mkdir(parents=True)
    assert not READY_MODELS["minilm"].ready, "an empty folder is no model"
    for name in manifest.LEAST:
        (READY_MODELS["minilm"].path / name).write_text("something")
    assert READY_MODELS["minilm"].ready


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", "attention-microscope"),
        ("win32", "LOCALAPPDATA", "attention-microscope"),
    ],
)
def test_the_cache_is_in_the_users_cache_otherwise(
    platform: str, variable: str, folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTENTION_HOME", " ")
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(catalogue.sys, "platform", platform)
    assert cache_folder() == tmp_path / folder


def test_folders_of_different_versions_differ() -> None:
    model = READY_MODELS["smollm2"]
    assert model.version in model.path.name
    assert str(catalogue.LAYOUT) in model.path.name.removeprefix(f"smollm2-{model.version}")
