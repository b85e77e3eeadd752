"""Which example a task begins with."""

from __future__ import annotations

import pytest

from app.learn.training.setup import example_of
from models.training.tasks import TASKS


@pytest.mark.parametrize("name", TASKS)
def test_the_example_fits_every_length(name: str) -> None:
    task = TASKS[name]
    assert example_of(task) == task.example
    for length in range(task.lengths[0], task.lengths[1] + 1):
        sized = task.sized(length)
        assert len(sized.read(example_of(sized))) <= length
