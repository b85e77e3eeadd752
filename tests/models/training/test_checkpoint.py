"""Saved models come back bit by bit; files that are none are refused in words."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from models.errors import InputError
from models.training import checkpoint
from models.training.tasks import TASKS
from models.training.trainer import Trainer
from models.transformer.model import Transformer

TASK = TASKS["copy"]
MODEL = Transformer(TASK.config, 4)
CONTENT = checkpoint.save(MODEL, TASK, 4, 17)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_round_trip(task: Any) -> None:
    trainer = Trainer(task, 4, task.configured(task.lengths[0], d_model=24, heads=3))
    trainer.step()
    found = checkpoint.load(checkpoint.save(trainer.model, trainer.task, 4, 1))
    assert (found.task.name, found.task.length, found.seed, found.step) == (task.name, task.lengths[0], 4, 1)
    assert found.model.config == trainer.model.config
    assert not found.model.training
    mine, theirs = trainer.model.state_dict(), found.model.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(weight, theirs[name]) for name, weight in mine.items())


def changed(
    about: dict[str, Any] | None = None, weights: dict[str, Tensor] | None = None, **entries: Any
) -> bytes:
    """The file with other metadata or weights."""
    known = {"task": "copy", "seed": 4, "step": 17, "config": TASK.config.to_dict()}
    told = json.dumps({**known, **entries} if about is None else about)
    return safetensors.torch.save({**MODEL.state_dict(), **(weights or {})}, {"attention_microscope": told})


CONFIG = TASK.config.to_dict()
NAME = "decoder.norm.weight"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "checkpoint_not_safetensors"),
        (b"<script>alert(1)</script>", "checkpoint_not_safetensors"),
        (pickle.dumps({"a": 1}), "checkpoint_not_safetensors"),
        (CONTENT[:-100], "checkpoint_not_safetensors"),
        (CONTENT[:50], "checkpoint_not_safetensors"),
        (b"\xff" * 8 + CONTENT[8:], "checkpoint_not_safetensors"),
        (bytes(checkpoint.LARGEST + 1), "checkpoint_too_large"),
        (safetensors.torch.save(MODEL.state_dict()), "checkpoint_no_config"),
        (safetensors.torch.save({}, {"attention_microscope": "[" * 100_000}), "checkpoint_no_config"),
        (changed([1]), "checkpoint_no_config"),  # type: ignore[arg-type]
        (changed(seed="4"), "checkpoint_no_config"),
        (changed(step=-1), "checkpoint_no_config"),
        (changed(config={**CONFIG, "dropout": 0.1}), "checkpoint_no_config"),
        (changed(config={"kind": "decoder"}), "checkpoint_no_config"),
        (changed(task="<b>" * 50), "task_unknown"),
        (changed(task="sort"), "task_config"),
        (changed(config={**CONFIG, "context": 200}), "task_config"),
        (changed(config={**CONFIG, "layers": 10**9}), "out_of_range"),
        (changed(config={**CONFIG, "d_model": "32"}), "out_of_range"),
        (changed(config={**CONFIG, "heads": 5}), "heads_do_not_divide"),
        (changed(config={**CONFIG, "norm": ["pre"]}), "unknown_choice"),
        (changed(config={**CONFIG, "layers": 2}), "checkpoint_names"),
        (changed(weights={"extra": torch.zeros(1)}), "checkpoint_names"),
        (changed(weights={NAME: torch.zeros(33)}), "checkpoint_shape"),
        (changed(weights={NAME: torch.zeros(32, dtype=torch.float64)}), "checkpoint_shape"),
        (changed(weights={NAME: torch.full((32,), torch.nan)}), "checkpoint_not_finite"),
        (changed(weights={NAME: torch.tensor([torch.inf] * 2 + [0.0] * 30)}), "checkpoint_not_finite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_files(content: bytes, key: str) -> None:
    with pytest.raises(InputError) as error:
        checkpoint.load(content)
    assert error.value.key == key


def test_a_wrong_shape_is_told_with_both() -> None:
    with pytest.raises(InputError, match=r"33 float32, expected was 32 float32"):
        checkpoint.load(changed(weights={NAME: torch.zeros(33)}))


@given(st.integers(0, 4000), st.binary(min_size=1, max_size=20))
def test_damaged_files_never_crash(place: int, damage: bytes) -> None:
    """Whatever is overwritten in the header and behind it: a model, or an error in words."""
    try:
        found = checkpoint.load(CONTENT[:place] + damage + CONTENT[place + len(damage) :])
    except InputError:
        return
    assert all(bool(weight.isfinite().all()) for weight in found.model.state_dict().values())
