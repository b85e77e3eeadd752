"""Every task is learned within the steps of its recipe, with its seed, and heads look where they should."""

from __future__ import annotations

import pytest

from models.training.patterns import shares
from models.training.tasks import TASKS
from models.training.trainer import Trainer, measure

ENOUGH = 0.99  # accuracy on examples that were not trained on
STEPS = {
    "copy": 400,
    "reverse": 400,
    "sort": 600,
    "repeat": 600,
    "brackets": 600,
    "words-en": 600,
    "words-zh": 600,
}
SHARE = {  # of its weight that the best head gives to the right places
    "copy": 0.9,
    "reverse": 0.9,
    "sort": 0.5,
    "repeat": 0.7,  # the induction score
    "brackets": 0.5,
    "words-en": 0.5,
    "words-zh": 0.5,
}


@pytest.mark.parametrize("name", STEPS)
def test_is_learned(name: str) -> None:
    task = TASKS[name]
    assert (task.recipe.steps, task.recipe.seed) == (STEPS[name], 0)
    trainer = Trainer(task, task.recipe.seed)
    untrained = measure(trainer.model, task)[1]
    for _ in range(STEPS[name]):
        trainer.step()
    loss, accuracy = measure(trainer.model, task)
    found = shares(trainer.model, task)
    print(
        f"{name}: loss {loss:.4f}, accuracy {untrained:.4f} → {accuracy:.4f}, best head {max(found.values()):.2f}"
    )
    assert untrained < 0.5
    assert accuracy >= ENOUGH
    assert max(found.values()) >= SHARE[name]


def test_untrained_heads_do_not_look_there() -> None:
    """The measure itself: without training nothing is found."""
    task = TASKS["repeat"]
    assert max(shares(Trainer(task, 0).model, task).values()) < 0.1
