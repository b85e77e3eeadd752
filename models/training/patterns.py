"""Whether the heads of a trained model look where the task says they should, over many examples."""

from __future__ import annotations

import torch
from torch import Tensor

from models.training.goals import goal, share
from models.training.tasks import Task
from models.transformer.model import Place, Transformer


def shares(model: Transformer, task: Task, count: int = 8, seed: int = 99) -> dict[tuple[Place, int], float]:
    """Of every head in the attentions that the task's pattern belongs to, how much of its weight goes to the right
    places: the mean of `goals.share` over `count` examples that were not trained on. For repeat this is the induction
    score."""
    batch = task.sample_unseen(count, torch.Generator().manual_seed(seed))
    total: dict[tuple[Place, int], float] = {}
    for row in range(count):
        kept = slice(None) if batch.padded is None else ~batch.padded[row]
        target = None if batch.target is None else batch.target[row]
        for key, found in _of_one(model, task, batch.ids[row][kept], target).items():
            total[key] = total.get(key, 0.0) + found / count
    return total


def _of_one(
    model: Transformer, task: Task, ids: Tensor, target: Tensor | None
) -> dict[tuple[Place, int], float]:
    wanted = goal(task.name, _names(task, ids), None if target is None else _names(task, target))
    assert wanted is not None
    layers, _ = model.layers(ids, target, exact=False)
    return {
        (layer.place, head): found
        for layer in layers
        if (layer.place.stream, layer.place.kind) == (wanted.stream, wanted.kind)
        for head, found in enumerate(share(layer.trace["weights"].value, wanted.places).tolist())
    }


def _names(task: Task, ids: Tensor) -> list[str]:
    return [task.symbols[index] for index in ids.tolist()]
