"""What the session keeps of trainings and of models from files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app import state
from app.learn.training import runs
from app.learn.training.setup import Setup, key_of
from models.training.checkpoint import shipped
from models.training.tasks import TASKS


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, object]]:
    kept: dict[str, dict[str, object]] = {}
    monkeypatch.setattr(state, "scratch", lambda page: kept.setdefault(page, {}))
    return kept


def setup_of(seed: int) -> Setup:
    task = TASKS["words-en"]
    return Setup(task, task.config, seed, task.recipe.rate)


@pytest.mark.usefixtures("memory")
def test_two_files_never_have_the_same_key() -> None:
    keys = set()
    for _ in range(30):
        runs.take(setup_of(0), replace(shipped("words-en")))
        keys.add(runs.seen(setup_of(0), -1).key)
        runs.forget(setup_of(0))
    assert len(keys) == 30


def test_models_from_files_are_few(memory: dict[str, dict[str, object]]) -> None:
    for seed in range(10):
        runs.take(setup_of(seed), shipped("words-en"))
    taken = memory["training_shelf"]["shelf"].content["taken"]
    assert list(taken) == [key_of(setup_of(seed)) for seed in (7, 8, 9)]  # type: ignore[call-overload]
