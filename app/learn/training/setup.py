"""What is to be trained: task, seed and sizes, as the session has chosen them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import dropwhile, takewhile

import torch

from app import state
from models.errors import InputError
from models.training.tasks import TASKS, Task
from models.training.tasks.base import PAD
from models.transformer.config import Config

SIZES = ("d_model", "heads", "layers")  # knobs that are 0 where the task's own size is wanted


@dataclass(frozen=True)
class Setup:
    """Equal setups give equal trainings. `rate` is the learning rate."""

    task: Task
    config: Config
    seed: int
    rate: float


def chosen() -> Setup:
    """As the knobs say. Raises InputError for sizes that fit no model."""
    task = TASKS[state.lab("t_task")]
    length = state.lab("t_length") or task.length
    sizes = {name: value for name in SIZES if (value := state.lab(f"t_{name}"))}
    config = task.configured(length, **sizes)
    return Setup(task.fitting(config), config, state.lab("t_seed"), state.lab("t_rate") or task.recipe.rate)


def usable() -> tuple[Setup, InputError | None]:
    """The chosen setup; where that fits no model, the last one of this task that did, and why the chosen does not."""
    memory, task = state.scratch("training").setdefault("last", {}), TASKS[state.lab("t_task")]
    try:
        memory[task.name] = chosen()
    except InputError as error:
        usual = Setup(task, task.config, state.lab("t_seed"), task.recipe.rate)
        return memory.get(task.name, usual), error
    return memory[task.name], None


def text_of(task: Task) -> str:
    """What the model is tried on: the session's text, or the task's example."""
    return str(state.lab("t_text")) or example_of(task)


def readable_text(task: Task) -> tuple[str, InputError | None]:
    """The text, or the example and why the text cannot be read."""
    try:
        task.encode(text_of(task))
    except InputError as error:
        return example_of(task), error
    return text_of(task), None


def example_of(task: Task) -> str:
    """The task's example; where that is too long for the chosen length, the text of one that is drawn."""
    if len(task.example) <= task.length:
        return task.example
    ids = task.sample(1, torch.Generator().manual_seed(0)).ids[0].tolist()
    symbols = dropwhile(PAD.__eq__, (task.symbols[index] for index in ids))
    return "".join(takewhile(task.alphabet.__contains__, symbols))


def key_of(setup: Setup) -> str:
    """A name for the setup, the same whenever it is chosen again."""
    return repr((setup.task.name, setup.config, setup.seed, setup.rate))
