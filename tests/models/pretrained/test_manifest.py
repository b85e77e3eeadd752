"""A ready model whose files have changed on the disk is not computed with, and can be had again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from models.errors import InputError
from models.pretrained import PretrainedModel, download, load_model, manifest
from models.pretrained.catalogue import READY_MODELS, ReadyModel
from models.pretrained.loading import unload_models
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    unload_models()


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadyModel:
    """A small model in the place of MiniLM, as a finished fetch leaves it."""
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path))
    ready = READY_MODELS["minilm"]
    manifest.write(save(ready.path, folders.bert(), "wordpiece"))
    return ready


def flip(file: Path, place: int = -5) -> None:
    """One bit, as on a failing disk: the size stays."""
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


def missing(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def cut_short(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def flipped_weight(folder: Path) -> None:
    flip(folder / "model.safetensors")


def flipped_config(folder: Path) -> None:
    flip(folder / "config.json", 20)


def empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def broken_manifest(folder: Path) -> None:
    (folder / manifest.MANIFEST).write_text('{"files": {"model.safetensors": 5}}')


VISIBLE = (missing, cut_short, empty, broken_manifest)  # without reading everything
HIDDEN = (flipped_weight, flipped_config)


def test_the_model_loads(model: ReadyModel) -> None:
    assert model.ready
    assert load_model("minilm").info.heads == 4


@pytest.mark.parametrize("damage", VISIBLE)
def test_what_is_missing_is_seen_at_once(damage: Callable[[Path], None], model: ReadyModel) -> None:
    damage(model.path)
    assert not model.ready


@pytest.mark.parametrize("damage", HIDDEN)
def test_a_flipped_bit_is_found_at_loading(damage: Callable[[Path], None], model: ReadyModel) -> None:
    damage(model.path)
    with pytest.raises(InputError) as caught:
        load_model("minilm")
    assert caught.value.key == "model_damaged"
    assert not model.ready, "it is offered again"


@pytest.mark.parametrize("damage", [*VISIBLE, *HIDDEN])
def test_it_is_fetched_again_and_replaced(
    damage: Callable[[Path], None], model: ReadyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(_: ReadyModel, work: Path, __: object) -> Path:
        made = save(work / "made", folders.bert(), "wordpiece")
        manifest.write(made)
        return made

    monkeypatch.setattr(download, "_prepare", prepare)
    monkeypatch.setattr(ReadyModel, "space_needed", 0)
    damage(model.path)
    if damage in HIDDEN:
        with pytest.raises(InputError):
            load_model("minilm")
    loaded = load_model("minilm")
    assert isinstance(loaded, PretrainedModel)
    assert (model.ready, loaded.info.heads) == (True, 4)
    assert [path.name for path in model.path.parent.iterdir() if ".work" in path.name] == []


def test_a_file_that_changes_after_a_first_look_is_looked_at_again(model: ReadyModel) -> None:
    load_model("minilm")
    flipped_weight(model.path)
    with pytest.raises(InputError) as caught:
        load_model("minilm")
    assert caught.value.key == "model_damaged"


def test_a_folder_from_before_there_were_manifests(model: ReadyModel) -> None:
    file = model.path / manifest.MANIFEST
    known = json.loads(file.read_text())["files"]["model.safetensors"][1]
    file.unlink()
    assert model.ready
    assert not manifest.is_whole(model.path, "0" * 64), "not the weights that it should have"
    assert not model.ready
    manifest._damaged.clear()
    assert manifest.is_whole(model.path, known)
    assert file.is_file()
    flipped_config(model.path)
    assert not manifest.is_whole(model.path, known)


def test_a_cache_that_may_only_be_read(model: ReadyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    (model.path / manifest.MANIFEST).unlink()

    def deny(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(manifest, "write", deny)
    assert manifest.is_whole(model.path)
