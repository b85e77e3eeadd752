"""Who may train: one per session, so many at once, the others in turn."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time

import pytest

from models.training.line import Line
from models.training.run import TrainingRun
from models.training.runs import Runs
from models.training.tasks import TASKS
from scripts.live import ROOT
from tests.models.training.test_run import SOON, until

CONFIG = TASKS["copy"].configured(4, d_model=8, heads=1)


def training() -> TrainingRun:
    return TrainingRun("copy", 0, CONFIG, alive=lambda: True, steps=20_000)


def test_first_come_first_served() -> None:
    line = Line(2)
    for who in "abcd":
        line.enter(who)
    line.enter("a")
    assert [who for who in "abcd" if line.served(who, 0)] == ["a", "b"]
    assert [line.ahead(who) for who in "abcdx"] == [0, 0, 1, 2, 0]
    line.leave("b")
    assert line.served("c", 0)
    assert not line.served("d", 0.01)
    line.leave("nobody")


def test_waiting_ends_when_a_place_becomes_free() -> None:
    line = Line(1)
    line.enter("a")
    line.enter("b")
    threading.Timer(0.05, line.leave, ["a"]).start()
    begun = time.monotonic()
    assert line.served("b", SOON)
    assert time.monotonic() - begun < SOON / 2


def test_a_session_has_one_training() -> None:
    runs = Runs(2)
    first, second = training(), training()
    runs.start("me", first)
    until(lambda: len(first.history) > 1)
    runs.start("me", second)
    assert first.status == "stopped"
    assert runs.of("me") is second
    assert runs.of("you") is None
    second.stop()
    assert second.join(SOON)


def test_so_many_at_once() -> None:
    runs = Runs(2)
    mine = [training() for _ in range(4)]
    for session, run in enumerate(mine):
        runs.start(str(session), run)
    until(lambda: all(len(run.history) > 1 for run in mine[:2]))
    until(lambda: [run.ahead for run in mine] == [0, 0, 1, 2])
    assert [run.status for run in mine] == ["running", "running", "waiting", "waiting"]
    mine[0].pause()  # its place becomes free
    until(lambda: mine[2].status == "running")
    mine[0].resume()
    assert mine[0].status == "waiting"
    mine[1].stop()
    until(lambda: mine[3].status == "running")
    assert mine[0].status == "waiting"
    for run in mine:
        run.stop()
        assert run.join(SOON)


def test_what_nobody_needs_is_forgotten() -> None:
    runs = Runs(2)
    run = training()
    runs.start("me", run)
    run.stop()
    assert run.join(SOON)
    del run
    gc.collect()
    assert runs.of("me") is None


@pytest.mark.parametrize("places", [None, 5])
def test_at_least_two(places: int | None) -> None:
    assert Runs(places).line.places >= 2


def test_python_ends_while_training() -> None:
    """In a process of its own, as it is about how that ends."""
    code = (
        "from models.training.run import TrainingRun\n"
        "run = TrainingRun('repeat', alive=lambda: True)\n"
        "run.start()\n"
        "while not run.history: pass\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=SOON
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_the_others_may_still_take() -> None:
    runs = Runs(places=1)
    mine, other = TrainingRun("copy", alive=lambda: True), TrainingRun("reverse", alive=lambda: True)
    runs.start("mine", mine)
    runs.start("other", other)
    try:
        assert runs.reserved() == mine.reserves + other.reserves > 0
        assert runs.reserved(but="mine") == other.reserves
    finally:
        mine.stop()
        other.stop()
    assert mine.join(20)
    assert other.join(20)
    assert runs.reserved() == 0
