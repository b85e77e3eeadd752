"""A writer goes with its model."""

from __future__ import annotations

import gc
import weakref

from models.generation import writer_for
from models.pretrained.own import OwnModel
from models.training.tasks import TASKS
from models.transformer.model import Transformer


def test_a_model_that_has_written_can_be_forgotten() -> None:
    task = TASKS["copy"]
    model = OwnModel(Transformer(task.config, 0), task, name="a", source="b")
    assert writer_for(model) is writer_for(model)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
