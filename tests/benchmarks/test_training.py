"""The two models of the training benchmark are the same model."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from benchmarks.training import Peer, step_of
from models.training.tasks import TASKS
from models.training.trainer import Trainer

TASK = TASKS["repeat"].sized(16)


@pytest.mark.parametrize("d_ff", [0, 24])
def test_both_take_the_same_steps(d_ff: int) -> None:
    """The same logits before, and after two steps on the same batches."""
    config = replace(TASK.config, d_model=16, heads=2, d_ff=d_ff)
    ours = Trainer(TASK, 0, config, replace(TASK.recipe, warmup=0, steps=10**6))  # an even learning rate
    peer = Peer(ours.model)
    ids = TASK.sample(3, torch.Generator().manual_seed(1)).ids
    torch.testing.assert_close(peer(ids), ours.model(ids), rtol=1e-4, atol=1e-5)
    step = step_of(peer, ours, TASK)
    for _ in range(2):
        step()
        ours.step()
    torch.testing.assert_close(peer(ids), ours.model(ids), rtol=5e-2, atol=5e-3)
