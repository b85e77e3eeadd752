"""The models that come with the app are what their script says, and good at their task."""

from __future__ import annotations

import pytest
import torch

from models.training.checkpoint import FOLDER, SHIPPED, shipped
from models.training.patterns import shares
from models.training.tasks import IGNORE
from models.training.tasks.number_words import NumberWords, unseen_numbers
from models.training.trainer import measure
from scripts.train_checkpoints import RECIPES


@pytest.mark.parametrize("name", SHIPPED)
def test_made_by_the_script(name: str) -> None:
    trained, recipe = shipped(name), RECIPES[name]
    assert trained.task.name == name
    assert (trained.seed, trained.step) == (recipe.seed, recipe.steps)
    assert trained.model.config == trained.task.config
    assert (FOLDER / f"{name}.safetensors").stat().st_size < 2_000_000


@pytest.mark.parametrize("name", SHIPPED)
def test_good_at_its_task(name: str) -> None:
    trained = shipped(name)
    assert measure(trained.model, trained.task, 1000, seed=7)[1] >= 0.999
    assert max(shares(trained.model, trained.task).values()) >= RECIPES[name].share


@pytest.mark.parametrize("name", ["words-en", "words-zh"])
@torch.no_grad()
def test_numbers_it_never_saw(name: str) -> None:
    """Of the 1,000 numbers that were held out, at least 999 are right to the last word."""
    trained = shipped(name)
    assert isinstance(trained.task, NumberWords)
    batch = trained.task.batch_of(unseen_numbers())
    written = trained.model(batch.ids, batch.target, padded=batch.padded).argmax(-1)
    right = ((written == batch.labels) | (batch.labels == IGNORE)).all(-1)
    assert int(right.sum()) >= 999


def test_nothing_else_is_shipped() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == set(SHIPPED)
    with pytest.raises(KeyError):
        shipped("../../secret")
