"""A training in its thread: it can be paused, ended and watched, ends by itself, and does not mix with others."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from models.errors import InputError
from models.training import memory
from models.training.line import Line
from models.training.run import ENDED, TrainingRun
from models.training.tasks import TASKS, Task
from models.training.trainer import Trainer

CONFIG = TASKS["copy"].configured(4, d_model=16, heads=2)
SOON = 60.0  # seconds after which something is not going to happen any more


@pytest.fixture
def begin() -> Iterator[Callable[..., TrainingRun]]:
    """Makes runs that are ended behind the test."""
    made: list[TrainingRun] = []

    def make(task: str | Task = "copy", seed: int = 0, **options: Any) -> TrainingRun:
        options = {
            "config": CONFIG if task == "copy" else None,
            "alive": lambda: True,
            "steps": 20,
            **options,
        }
        made.append(TrainingRun(task, seed, options.pop("config"), **options))
        return made[-1]

    yield make
    for run in made:
        run.stop()
        assert run.join(SOON)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(
        torch.equal(weight, other[name]) for name, weight in one.items()
    )


def as_alone(run: TrainingRun, task: Task) -> None:
    """The run's losses and weights are those of the same training outside its thread. Another thread may use another
    kernel, so they agree up to rounding, which forty steps of Adam carry on: another seed is 100 times further away."""
    losses, weights = alone(task, run.seed, run)
    assert [report.loss for report in run.history] == pytest.approx(losses, rel=1e-3)
    for name, weight in run.latest.weights.items():
        assert float((weight - weights[name]).norm()) <= 0.02 * float(weights[name].norm()) + 1e-6, name


def alone(task: Task, seed: int, run: TrainingRun) -> tuple[list[float], dict[str, Tensor]]:
    """Losses and weights of the same training without a thread."""
    trainer = Trainer(task, seed, run.config, run.recipe)
    losses = [trainer.step().loss for _ in range(run.recipe.steps)]
    return losses, trainer.model.state_dict()


def test_from_beginning_to_end(begin: Callable[..., TrainingRun]) -> None:
    run = begin(steps=40)
    assert (run.status, run.latest.step, run.history) == ("waiting", 0, ())
    run.start()
    assert run.join(SOON)
    assert (run.status, run.problem, run.latest.step) == ("done", None, 40)
    assert [report.step for report in run.history] == list(range(1, 41))
    seconds = [report.seconds for report in run.history]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0
    assert run.steps_per_second > 0
    as_alone(run, TASKS["copy"])
    assert same(dict(run.model_at(40).state_dict()), run.latest.weights)
    assert not [thread for thread in threading.enumerate() if thread.name == "training copy"]


def test_two_at_once_are_as_each_alone(begin: Callable[..., TrainingRun]) -> None:
    runs = [begin(seed=1, steps=30), begin("sort", seed=2, steps=30)]
    line = Line(2)
    for run in runs:
        run.start(line)
    until(lambda: all(len(run.history) > 2 or run.status in ENDED for run in runs))
    for run in runs:
        assert run.join(SOON)
        as_alone(run, run.task)


def test_pause_resume_stop(begin: Callable[..., TrainingRun]) -> None:
    run = begin(steps=20_000)
    run.start()
    until(lambda: len(run.history) > 5)
    run.pause()
    assert run.status == "paused"
    done = len(run.history)
    assert run.latest.step == done
    time.sleep(0.1)
    assert len(run.history) == done
    run.resume()
    until(lambda: len(run.history) > done + 5)
    run.stop()
    assert run.status == "stopped"
    assert run.latest.step == len(run.history)
    run.resume()
    run.start()
    assert run.status == "stopped"
    run.stop()


def test_stopped_before_it_began(begin: Callable[..., TrainingRun]) -> None:
    run = begin()
    run.stop()
    run.start()
    assert run.status == "stopped"
    assert run.join()
    assert run.model_at(0).config == CONFIG


def test_snapshots_stay_as_they_are(begin: Callable[..., TrainingRun]) -> None:
    run = begin(steps=100)
    first = {name: weight.clone() for name, weight in run.latest.weights.items()}
    run.start()
    assert run.join(SOON)
    steps = [snapshot.step for snapshot in run.snapshots]
    assert steps == sorted(set(steps))
    assert steps[:3] == [0, 1, 2]
    assert steps[-1] == 100
    assert 15 <= len(steps) <= 33
    assert same(run.snapshots[0].weights, first)
    assert run.snapshots[0].report is None
    assert [snapshot.report.step for snapshot in run.snapshots[1:] if snapshot.report] == steps[1:]
    assert run.snapshot_at(steps[5] + 0).step == steps[5]
    assert run.snapshot_at(10**9).step == 100
    assert run.snapshot_at(-3).step == 0
    model = run.model_at(steps[5])
    assert not model.training
    assert same(dict(model.state_dict()), run.snapshot_at(steps[5]).weights)
    with torch.no_grad():
        model.predict.weight.zero_()  # a model of its own
    assert run.snapshot_at(steps[5]).weights["predict.weight"].any()


def test_gradients_are_as_reported(begin: Callable[..., TrainingRun]) -> None:
    run = begin()
    assert run.gradients(run.places[0]) == {}
    run.start()
    assert run.join(SOON)
    for found in run.history[-1].gradients:
        shown = run.gradients(found.place)
        for name in ("w_q", "w_k", "w_v"):
            assert shown[name].shape == (16, 16)
            assert float(shown[name].norm()) == pytest.approx(getattr(found, name), rel=1e-4)


@pytest.mark.parametrize("paused", [False, True])
def test_a_closed_tab_ends_it(begin: Callable[..., TrainingRun], paused: bool) -> None:
    there = True
    run = begin(steps=20_000, alive=lambda: there, grace=0.3)
    run.start()
    until(lambda: len(run.history) > 3)
    if paused:
        run.pause()
    time.sleep(0.5)
    assert run.status == ("paused" if paused else "running")
    there = False
    until(lambda: run.status == "stopped")
    assert run.join(SOON)
    assert run.latest.step == len(run.history)


def test_a_closed_tab_leaves_the_line(begin: Callable[..., TrainingRun]) -> None:
    line = Line(1)
    line.enter("somebody")
    run = begin(alive=lambda: False, grace=0.3)
    run.start(line)
    assert run.ahead <= 1
    until(lambda: run.status == "stopped")
    assert run.history == ()
    assert run.ahead == 0


def test_a_loss_that_runs_away(begin: Callable[..., TrainingRun]) -> None:
    run = begin(steps=20_000)
    run.start()
    until(lambda: len(run.history) > 5)
    run.pause()
    good = run.latest
    with torch.no_grad():
        run._trainer.model.predict.weight[0, 0] = torch.nan
    run.resume()
    assert run.join(SOON)
    assert run.status == "diverged"
    assert run.problem is not None
    assert run.problem.key == "training_diverged"
    assert math.isnan(run.history[-1].loss)
    assert run.latest is good
    assert all(bool(weight.isfinite().all()) for weight in run.latest.weights.values())


def test_a_learning_rate_that_is_too_large(begin: Callable[..., TrainingRun]) -> None:
    run = begin(config=TASKS["copy"].config, rate=10.0, steps=400)
    run.start()
    assert run.join(SOON)
    assert run.status == "diverged"
    assert "learning rate 10 is too large" in str(run.problem)


def test_what_should_not_happen_is_told(
    begin: Callable[..., TrainingRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin()

    def burst(*_: object) -> None:
        raise RuntimeError("not enough memory: you tried to allocate 10 bytes")

    run.start(line := Line(1))
    until(lambda: len(run.history) > 1)
    monkeypatch.setattr(run.task, "sample", burst)
    assert run.join(SOON)
    if run.status != "done":  # it was quicker
        assert run.status == "failed"
        assert run.problem is not None
        assert run.problem.values["detail"] == "RuntimeError"
        assert run.latest.step == len(run.history)
    assert line.served("next", 0) is False
    line.enter("next")
    assert line.served("next", 0)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"rate": 0.0}, "out_of_range"),
        ({"rate": math.nan}, "out_of_range"),
        ({"steps": 10**9}, "out_of_range"),
        ({"config": TASKS["sort"].config}, "task_config"),
        ({"task": "knitting"}, "task_unknown"),
    ],
)
def test_what_cannot_be_trained(options: dict[str, Any], key: str) -> None:
    task = options.pop("task", "copy")
    with pytest.raises(InputError) as error:
        TrainingRun(task, alive=lambda: True, **options)
    assert error.value.key == key


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 20_000_000)
    TrainingRun("copy", alive=lambda: True)
    with pytest.raises(InputError, match=r"needs about \d+ MB of memory, 20 MB are free") as error:
        TrainingRun("repeat", alive=lambda: True)
    assert error.value.key == "training_no_memory"
