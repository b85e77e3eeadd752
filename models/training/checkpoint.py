"""A trained model as a file: safetensors with the task and the sizes in its metadata. Such a file cannot run code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from models.training.problems import problem
from models.training.tasks import Task, task_of
from models.transformer.config import Config
from models.transformer.model import Transformer

FOLDER = Path(__file__).parent.parent / "checkpoints"
SHIPPED = ("repeat", "words-en", "words-zh")
LARGEST = 64 * 2**20  # bytes; the largest model that can be trained here has less

_ENTRY = "attention_microscope"  # of the metadata, JSON
_LENGTH = 8  # bytes in front of the header that say how long it is
_SHOWN = 60  # characters of a name from a file


@dataclass(frozen=True)
class Trained:
    """A model with the task it was trained on, the seed and how many steps it was trained."""

    model: Transformer
    task: Task
    seed: int
    step: int


def save(model: Transformer, task: Task, seed: int, step: int) -> bytes:
    """The file. `load` gives back the same weights, bit by bit."""
    about = {"task": task.name, "seed": seed, "step": step, "config": model.config.to_dict()}
    weights = {name: weight.detach().contiguous() for name, weight in model.state_dict().items()}
    return safetensors.torch.save(weights, {_ENTRY: json.dumps(about)})


def load(content: bytes) -> Trained:
    """The model of a file, ready to be looked at.

    Raises InputError: checkpoint_too_large, checkpoint_not_safetensors, checkpoint_no_config, checkpoint_names,
    checkpoint_shape, checkpoint_not_finite, task_unknown, task_config, and those of `Config.checked`.
    """
    if len(content) > LARGEST:
        raise problem("checkpoint_too_large", count=len(content), limit=LARGEST)
    weights, about = _weights(content), _about(content)
    task = task_of(about["task"])
    try:
        config = Config(**about["config"])
    except TypeError as error:
        raise problem("checkpoint_no_config", detail="config") from error
    task = task.fitting(config)
    model = Transformer(config)
    _check(weights, model.state_dict())
    model.load_state_dict(weights)
    return Trained(model.eval().requires_grad_(False), task, about["seed"], about["step"])


def shipped(name: str) -> Trained:
    """A model of `SHIPPED`, made by scripts/train_checkpoints.py. Raises KeyError for another name."""
    if name not in SHIPPED:
        raise KeyError(name)
    return load((FOLDER / f"{name}.safetensors").read_bytes())


def _weights(content: bytes) -> dict[str, Tensor]:
    try:
        return safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise problem("checkpoint_not_safetensors", count=len(content)) from error


def _about(content: bytes) -> dict[str, Any]:
    """Task, seed, step and config as the metadata has them; the config is still unchecked."""
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
    try:
        about = json.loads(json.loads(content[_LENGTH:end])["__metadata__"][_ENTRY])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise problem("checkpoint_no_config", detail=_ENTRY) from error
    kinds = {"task": str, "seed": int, "step": int, "config": dict}
    for name, kind in kinds.items():
        if not isinstance(about, dict) or type(about.get(name)) is not kind:
            raise problem("checkpoint_no_config", detail=name)
    if len(about["task"]) > _SHOWN:
        about["task"] = about["task"][:_SHOWN] + "…"
    for name in ("seed", "step"):
        if not 0 <= about[name] < 2**31:
            raise problem("checkpoint_no_config", detail=name)
    return dict(about)


def _check(weights: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    """Names, shapes, kinds of numbers and the numbers themselves."""
    if different := sorted(weights.keys() ^ expected.keys()):
        first = different[0][:_SHOWN]
        raise problem("checkpoint_names", expected=len(expected), received=len(weights), first=first)
    for name, weight in weights.items():
        wanted = expected[name]
        if (weight.shape, weight.dtype) != (wanted.shape, wanted.dtype):
            raise problem("checkpoint_shape", name=name, expected=_shape(wanted), received=_shape(weight))
        if lost := weight.numel() - int(weight.isfinite().sum()):
            raise problem("checkpoint_not_finite", name=name, count=lost)


def _shape(weight: Tensor) -> str:
    """As in "128 × 64 float32"."""
    return f"{' × '.join(map(str, weight.shape))} {str(weight.dtype).removeprefix('torch.')}"
