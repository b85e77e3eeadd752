"""Tasks whose right answer and right attention are known: `TASKS["repeat"]`."""

from __future__ import annotations

from models.training.problems import problem
from models.training.tasks.base import IGNORE, Batch, Recipe, Task
from models.training.tasks.brackets import Brackets
from models.training.tasks.letters import Copy, Reverse, Sort
from models.training.tasks.number_words import ChineseWords, EnglishWords
from models.training.tasks.repeating import Repeat

__all__ = ["IGNORE", "TASKS", "Batch", "Recipe", "Task", "task_of"]

TASKS: dict[str, Task] = {
    task.name: task
    for task in (Copy(), Reverse(), Sort(), Repeat(), Brackets(), EnglishWords(), ChineseWords())
}


def task_of(name: str) -> Task:
    """The task of that name. Raises InputError: task_unknown."""
    if name not in TASKS:
        raise problem("task_unknown", name=name, tasks=", ".join(TASKS))
    return TASKS[name]
