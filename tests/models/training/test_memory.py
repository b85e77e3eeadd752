"""What a training takes: counted exactly where it can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from models.errors import InputError
from models.training import memory
from models.training.memory import needed, parameters_of
from models.training.snapshots import BUDGET, FEWEST, MOST, kept_steps, room
from models.training.tasks import TASKS
from models.transformer.config import Config
from models.transformer.model import Transformer


@pytest.mark.parametrize("kind", ["encoder", "decoder", "encoder-decoder"])
@pytest.mark.parametrize(
    "changes", [{}, {"norm": "post"}, {"position": "sinusoidal"}, {"d_ff": 0}, {"d_ff": 0, "norm": "post"}]
)
def test_parameters_are_counted(kind: Any, changes: dict[str, Any]) -> None:
    config = replace(Config(kind, 11, 9, d_model=8, heads=2, layers=3, d_ff=20), **changes)
    assert parameters_of(config) == sum(p.numel() for p in Transformer(config).parameters())


def test_more_needs_more() -> None:
    repeat = TASKS["repeat"]
    plain = needed(repeat.config, repeat.recipe)
    assert 30e6 < plain < 300e6
    for changes in ({"d_model": 256}, {"heads": 16}, {"layers": 6}, {"context": 128}):
        assert needed(replace(repeat.config, **changes), repeat.recipe) > plain  # type: ignore[arg-type]


@pytest.mark.parametrize("last", [10, 200, 20_000])
@pytest.mark.parametrize("count", [6, 32])
def test_kept_steps(last: int, count: int) -> None:
    steps = sorted(kept_steps(last, count))
    assert (steps[0], steps[-1]) == (0, last)
    assert min(count, last) * 0.5 <= len(steps) <= count
    gaps = [after - before for before, after in pairwise(steps)]
    assert all(after >= before - 1 for before, after in pairwise(gaps))


def test_room() -> None:
    assert room(1000) == MOST
    assert room(10**9) == FEWEST
    assert room(BUDGET // 10) == 10


def test_what_is_spoken_for_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    task = TASKS["copy"]
    wanted = memory.needed(task.config, task.recipe)
    monkeypatch.setattr(memory, "free_memory", lambda: 2 * wanted)
    memory.check_memory(task.config, task.recipe, reserved=wanted)
    with pytest.raises(InputError) as caught:
        memory.check_memory(task.config, task.recipe, reserved=wanted + 1)
    assert caught.value.key == "training_no_memory"
