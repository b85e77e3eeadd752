"""A model folder in Hugging Face layout, checked before anything of it is loaded. Only safetensors files are opened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from models.pretrained import senses
from models.pretrained.problems import MEGABYTE, denied_means_unreadable, megabytes, problem

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack")
VOCABULARIES = (
    "tokenizer.json",
    "vocab.*",
    "vocab-src.json",
    "*.model",
    "*.spm",
    "*.tiktoken",
    "tekken.json",
)
BYTE_TOKENIZERS = {"ByT5Tokenizer", "CanineTokenizer", "PerceiverTokenizer"}
WITHOUT_VOCABULARY = {"canine", "perceiver"}
BYTES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "I16": 2, "U16": 2, "BF16": 2}
READ_WHOLE = {".json", ".txt", ".model", ".spm", ".tiktoken", ".jinja"}
LARGEST_CONFIG, LARGEST_TEXT = 10 * MEGABYTE, 200 * MEGABYTE  # bytes; ten times what any known model has
HALF = "F16"  # computed in float32: see `loading`


@dataclass(frozen=True)
class ModelFolder:
    """What was found: the configuration as it stands in the file, the weight files, how many `tensors` they hold with
    how many `numbers`, the `largest` dimension among these, and the `bytes` they take in memory."""

    path: Path
    config: dict[str, Any]
    files: tuple[Path, ...]
    bytes: int
    tensors: int
    numbers: int
    largest: int

    @property
    def stamp(self) -> tuple[object, ...]:
        """Changes when the folder's content does: a cached model is then loaded anew."""
        facts = [(self.path / CONFIG).stat(), *(file.stat() for file in self.files)]
        return (str(self.path), *((fact.st_mtime_ns, fact.st_size) for fact in facts))


def open_folder(path: Path) -> ModelFolder:
    """Raises InputError: model_folder_missing, model_folder_unreadable, model_not_folder, model_folder_empty,
    model_config_missing, model_config_broken, model_weights_pickle, model_weights_missing,
    model_weights_broken, model_no_tokenizer.
    """
    with denied_means_unreadable(path):
        return _checked(path)


def _checked(path: Path) -> ModelFolder:
    if not path.exists():
        raise problem("model_folder_missing", folder=str(path))
    if not path.is_dir():
        raise problem("model_not_folder", folder=str(path))
    if not any(path.iterdir()):
        raise problem("model_folder_empty", folder=str(path))
    _check_files(path)
    config = _config(path)
    files = _weight_files(path)
    if not _has_tokenizer(path, config):
        raise senses.not_text(path, senses.class_named(config)) or problem(
            "model_no_tokenizer", folder=str(path)
        )
    parts = [part for file in files for part in _header(file)]
    return ModelFolder(
        path,
        config,
        files,
        bytes=sum(prod(shape) * _size(dtype) for shape, dtype in parts),
        tensors=len(parts),
        numbers=sum(prod(shape) for shape, _ in parts),
        largest=max((length for shape, _ in parts for length in shape), default=0),
    )


def _check_files(path: Path) -> None:
    """All files but the weights are read whole, some of them into many times their size; and whoever reads a pipe
    waits for ever."""
    for file in path.iterdir():
        if file.name == CONFIG or file.suffix in READ_WHOLE:
            limit = LARGEST_CONFIG if file.name == CONFIG else LARGEST_TEXT
            if file.exists() and not (file.is_file() or file.is_dir()):
                raise problem("model_folder_unreadable", folder=str(file), detail="not a regular file")
            if file.is_file() and (size := file.stat().st_size) > limit:
                raise problem(
                    "model_file_too_large", file=str(file), size=megabytes(size), limit=limit // MEGABYTE
                )


def _config(path: Path) -> dict[str, Any]:
    file = path / CONFIG
    if not file.is_file():
        raise problem("model_config_missing", folder=str(path))
    try:
        config = json.loads(file.read_text("utf-8"))
    except PermissionError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise problem("model_config_broken", folder=str(path), detail=str(error)) from error
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise problem("model_config_broken", folder=str(path), detail="model_type")
    return config


def _weight_files(path: Path) -> tuple[Path, ...]:
    index, single = path / INDEX, path / WEIGHTS
    if single.is_file():
        return (single,)
    if not index.is_file():
        pickled = any(any(path.glob(pattern)) for pattern in PICKLES)
        raise problem("model_weights_pickle" if pickled else "model_weights_missing", folder=str(path))
    try:
        names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
    except PermissionError:
        raise
    except (OSError, ValueError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise problem("model_weights_broken", file=str(index)) from error
    files = tuple(path / name for name in sorted(map(str, names)))
    for file in files:
        if file.parent != path or not file.is_file():
            raise problem("model_weights_broken", file=str(file))
    return files


def _has_tokenizer(path: Path, config: dict[str, Any]) -> bool:
    """Whether there is a vocabulary: without one transformers makes an empty tokenizer that knows no word."""
    if any(any(path.glob(pattern)) for pattern in VOCABULARIES) or config["model_type"] in WITHOUT_VOCABULARY:
        return True
    try:
        name = json.loads((path / "tokenizer_config.json").read_text("utf-8")).get("tokenizer_class")
    except PermissionError:
        raise
    except (OSError, ValueError, RecursionError, AttributeError):
        return False
    return name in BYTE_TOKENIZERS


def _header(file: Path) -> list[tuple[list[int], str]]:
    """Shape and type of every tensor. safetensors compares them with the file's length: a truncated one shows."""
    try:
        with safe_open(file, framework="pt") as tensors:
            slices = (tensors.get_slice(name) for name in tensors.keys())  # noqa: SIM118 - not a dict
            return [(part.get_shape(), part.get_dtype()) for part in slices]
    except PermissionError:
        raise
    except (SafetensorError, OSError) as error:
        raise problem("model_weights_broken", file=str(file)) from error


def _size(dtype: str) -> int:
    return 4 if dtype == HALF else BYTES.get(dtype, 1)
