"""A configuration that asks for more than its files hold is refused before anything is built."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from models.errors import InputError
from models.pretrained import load_model
from models.pretrained.folder import LARGEST_CONFIG, LARGEST_TEXT
from models.pretrained.loading import unload_models
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save

FLAT = 200_000_000  # bytes that may come and go in a process; the smallest of the demands is eight times that


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    unload_models()


@pytest.fixture(scope="module", autouse=True)
def _imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a first load imports is no part of the memory that is looked at."""
    load_model(save(tmp_path_factory.mktemp("first"), folders.llama()))


def refused(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load_model(folder)
    return caught.value


def one_number(folder: Path, **config: Any) -> Path:
    """A file with a single number beside a configuration that asks for whatever it likes."""
    save(folder, folders.llama())
    save_file({"x": torch.zeros(1)}, folder / "model.safetensors")
    return rewrite(folder, **config)


def rewrite(folder: Path, **changes: Any) -> Path:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    return folder


DEMANDS: dict[str, dict[str, Any]] = {
    "hidden_size": {"hidden_size": 20_000, "intermediate_size": 80_000},
    "vocab_size": {"vocab_size": 10**8},
    "layers": {"num_hidden_layers": 10**6},
    "layers, not absurdly many": {"num_hidden_layers": 50_000},
    "layers without end": {"num_hidden_layers": 10**18},
    "labels": {"num_labels": 10**9},
    "heads": {"num_attention_heads": 10**7, "head_dim": 10**6},
    "a list": {"layer_sizes": [1, 10**12]},
    "inside": {"text_config": {"deeper": [{"num_hidden_layers": 10**7}]}},
    "positions": {"max_position_embeddings": 10**12},
    "end of text": {"eos_token_id": 10**9},
}


@pytest.mark.parametrize("what", DEMANDS)
def test_demands_of_a_file_with_one_number(what: str, tmp_path: Path) -> None:
    before = psutil.Process().memory_info().rss
    error = refused(one_number(tmp_path, **DEMANDS[what]))
    assert error.key == "model_config_demand"
    assert (error.values["numbers"], error.values["tensors"]) == (1, 1)
    assert psutil.Process().memory_info().rss - before < FLAT


@pytest.mark.parametrize(
    ("make", "changes"),
    [
        (folders.bert, {"vocab_size": 90_000, "hidden_size": 8_000}),
        (folders.bert, {"max_position_embeddings": 50_000_000}),
        (folders.t5, {"num_layers": 40_000}),
        (folders.t5, {"d_ff": 99_000, "d_model": 4_000}),
        (folders.marian, {"encoder_layers": 30_000}),
        (folders.bloom, {"n_layer": 60_000}),
    ],
)
def test_other_kinds_of_model(make: Callable[[], Any], changes: dict[str, int], tmp_path: Path) -> None:
    """Whole files, each number of the configuration below what is refused by itself."""
    before = psutil.Process().memory_info().rss
    assert refused(rewrite(save(tmp_path, make()), **changes)).key == "model_config_demand"
    assert psutil.Process().memory_info().rss - before < FLAT


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_size": -32},
        {"vocab_size": -1},
        {"num_hidden_layers": -3},
        {"hidden_size": "wide"},
        {"hidden_size": "20000"},
        {"hidden_size": [32]},
        {"num_hidden_layers": 2.5},
        {"num_attention_heads": 0},
    ],
)
def test_sizes_that_are_none(changes: dict[str, Any], tmp_path: Path) -> None:
    assert refused(rewrite(save(tmp_path, folders.llama()), **changes)).key == "model_config_broken"


def test_deep_nesting(tmp_path: Path) -> None:
    nested: Any = 1
    for _ in range(500):  # what json reads and copying does not
        nested = {"a": nested}
    assert refused(rewrite(save(tmp_path, folders.llama()), more=nested)).key == "model_config_broken"


def test_numbers_that_are_no_sizes_may_be_large(tmp_path: Path) -> None:
    folder = save(tmp_path, folders.llama())
    rope = {"rope_type": "default", "rope_theta": 10**9}
    rewrite(folder, rope_parameters=rope, max_position_embeddings=10_485_760, num_parameters=7 * 10**9)
    rewrite(folder, image_token_id=200_010, chunk_size=1_440_000, vision_feature_layer=-2, sliding_window=-1)
    assert load_model(folder).info.heads == 4


@pytest.mark.parametrize(
    ("name", "limit"),
    [("config.json", LARGEST_CONFIG), ("tokenizer.json", LARGEST_TEXT), ("added_tokens.json", LARGEST_TEXT)],
)
def test_files_that_are_read_whole_have_a_limit(name: str, limit: int, tmp_path: Path) -> None:
    folder = save(tmp_path, folders.llama())
    with (folder / name).open("ab") as file:
        file.truncate(limit + 1)  # a hole: it takes no room on the disk
    error = refused(folder)
    assert error.key == "model_file_too_large"
    assert error.values["file"] == str(folder / name)


@pytest.mark.parametrize("name", ["tokenizer.json", "special_tokens_map.json"])
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    import os

    folder = save(tmp_path, folders.llama())
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert refused(folder).key == "model_folder_unreadable"


def test_token_ids_that_the_model_has_no_vectors_for(tmp_path: Path) -> None:
    error = refused(save(tmp_path, folders.llama(vocab_size=5), "byte_level"))
    assert error.key == "model_tokenizer_differs"


def test_modules_of_other_threads_are_not_counted(tmp_path: Path) -> None:
    """The hooks hold for the whole process: who trains meanwhile must not be stopped by them."""
    failures: list[BaseException] = []
    over = threading.Event()

    def build() -> None:
        try:
            while not over.is_set():
                nn.Linear(2_000, 2_000)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=build)
    thread.start()
    try:
        for number in range(5):
            load_model(save(tmp_path / str(number), folders.llama()))
    finally:
        over.set()
        thread.join()
    assert failures == []
