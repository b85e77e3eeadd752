"""One text of a task with its right answer: what a model reads, and what it should say at each place."""

from __future__ import annotations

import torch

from models.training.tasks.base import END, IGNORE, START, Batch, Task
from models.training.tasks.repeating import Repeat


def worked(task: Task, text: str) -> Batch:
    """A batch of one: `text` and, where a decoder writes, the right answer so far. Raises InputError as `Task.encode`
    does."""
    if isinstance(task, Repeat):
        return _repeated(task, text)
    ids, answer = task.encode(text).tolist(), _answer(task, text)
    if task.kind == "encoder":
        labels = [*answer, *[IGNORE] * (len(ids) - len(answer))]
        return Batch(torch.tensor([ids]), torch.tensor([labels]))
    if task.kind == "encoder-decoder":
        target = [task.id(START), *answer]
        return Batch(torch.tensor([ids]), torch.tensor([[*answer, task.id(END)]]), torch.tensor([target]))
    labels = [*[IGNORE] * (len(ids) - 1), *answer, task.id(END)]
    return Batch(torch.tensor([[*ids, *answer]]), torch.tensor([labels]))


def _answer(task: Task, text: str) -> list[int]:
    """The ids of the right answer."""
    answer = task.answer(text)
    if task.kind == "encoder-decoder":
        return task.encode_target(answer).tolist()[1:]
    words = answer.split() if " " in answer else list(answer)
    return [task.id(word) for word in words]


def _repeated(task: Repeat, text: str) -> Batch:
    """What cannot be known, the first block, is not counted."""
    ids = task.read(text)
    continued = [*ids, *(task.id(symbol) for symbol in task.answer(text)[:1])]
    period = next(p for p in range(1, len(ids) + 1) if ids[p:] == ids[:-p])
    labels = [
        continued[place + 1] if place >= period and place + 1 < len(continued) else IGNORE
        for place in range(len(ids))
    ]
    return Batch(torch.tensor([ids]), torch.tensor([labels]))
