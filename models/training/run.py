"""A training in a thread of its own, that can be watched, paused and ended at any time.

run = TrainingRun("repeat", seed=0, alive=lambda: True)
RUNS.start("this session", run)        # from models.training.runs; or run.start() without a limit
run.status, run.history[-1].loss, run.model_at(100)
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from models.errors import InputError, out_of_range
from models.training.line import Line
from models.training.memory import check_memory, needed
from models.training.problems import problem
from models.training.record import Record
from models.training.tasks import Recipe, Task, task_of
from models.training.trainer import Trainer
from models.transformer.config import Config

Status = Literal["waiting", "running", "paused", "stopped", "done", "diverged", "failed"]
Wish = Literal["run", "pause", "stop"]
ENDED = ("stopped", "done", "diverged", "failed")
RATES = (1e-5, 10.0)  # learning rates that can be chosen
STEPS = (10, 20_000)
GRACE = 30.0  # seconds that a closed tab is waited for, in case it is only loaded again

_POLL = 0.2  # seconds between looks at who is there, while paused or waiting
_ASK_ALIVE = 1.0  # seconds
_BREATH = 0.03  # of a step's time that is slept behind it, so that other threads get their turn at once
_LAST_WAIT = 3.0  # seconds for a step to end when Python does
_NICENESS = 5  # of the thread: pages go first


class TrainingRun(Record):
    """One training, to `start`, `pause`, `resume`, `stop`, and to look at (see `Record`).

    `alive` says whether somebody is still there; if not for `grace` seconds, the training stops by itself. `rate` and
    `steps` replace the recipe's, `reserved` are bytes of memory that are spoken for. Raises InputError for sizes that
    do not fit the task (task_config, out_of_range, heads_do_not_divide) or the memory (training_no_memory). The same
    task, config, seed, rate and steps give the same losses and weights, whatever else runs.

    Everything public may be called from any thread: the training's own publishes copies or what is never changed
    again, so that whoever looks neither waits for a step nor sees half of one.
    """

    def __init__(
        self,
        task: Task | str,
        seed: int = 0,
        config: Config | None = None,
        *,
        alive: Callable[[], bool],
        rate: float | None = None,
        steps: int | None = None,
        grace: float = GRACE,
        reserved: int = 0,
    ) -> None:
        found = task_of(task) if isinstance(task, str) else task
        config = found.config if config is None else config
        self.task, self.seed, self.grace = found.fitting(config), seed, grace
        self.recipe = _changed(found.recipe, rate, steps)
        check_memory(config, self.recipe, reserved)
        self._trainer = Trainer(self.task, seed, config, self.recipe)
        super().__init__(self._trainer)
        self._alive = alive
        self._seen = self._asked = time.monotonic()  # when somebody was last there, when that was last asked
        self._state = threading.Condition()  # guards status, wish and problem; never held during a step
        self._status: Status = "waiting"
        self._wish: Wish = "run"
        self._problem: InputError | None = None
        self._line = Line(1)
        self._thread: threading.Thread | None = None

    def start(self, line: Line | None = None) -> None:
        """Begin: in a line with others, or at once. Once started, this does nothing."""
        with self._state:
            if self._thread is not None or self._status in ENDED:
                return
            self._line = line or self._line
            self._line.enter(self)  # here, so that the order of the line is that of the calls
            _STARTED.add(self)
            self._thread = threading.Thread(target=self._work, name=f"training {self.task.name}", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Rest behind the step that is running; the place in the line becomes free."""
        self._ask("pause", ("paused",))

    def resume(self) -> None:
        """Go on; others who wait in the line come first."""
        self._ask("run", ("running", "waiting"))

    def stop(self) -> None:
        """End for good behind the step that is running; what was learned stays."""
        self._ask("stop", ())

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end, so many seconds at most. Returns whether it has come."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.status in ENDED

    @property
    def status(self) -> Status:
        with self._state:
            return self._status

    @property
    def problem(self) -> InputError | None:
        """Why the training diverged or failed."""
        with self._state:
            return self._problem

    @property
    def reserves(self) -> int:
        """Bytes of memory that it may take while it goes on; 0 once it has ended."""
        return 0 if self.status in ENDED else needed(self.config, self.recipe)

    @property
    def ahead(self) -> int:
        """How many trainings of others have to end or rest before this one's turn."""
        return self._line.ahead(self)

    def _ask(self, wish: Wish, until: tuple[Status, ...]) -> None:
        """Wish for something and wait a moment until it is so: one step at most, unless steps are very slow."""
        with self._state:
            if self._wish == "stop":
                return
            self._wish = wish
            self._state.notify_all()
            if self._thread is None:
                self._status = {"run": "waiting", "pause": "paused", "stop": "stopped"}[wish]  # type: ignore[assignment]
            elif self._thread is not threading.current_thread():
                self._state.wait_for(lambda: self._status in (*until, *ENDED), 2.0)

    def _work(self) -> None:
        with contextlib.suppress(OSError, AttributeError):  # where threads have no priority of their own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        end: Status = "failed"
        trouble: InputError | None = None
        try:
            end = self._train()
        except InputError as error:
            end, trouble = "diverged", error
            if self._trainer.last is not None:
                self.add_lost(self._trainer.last)
        except Exception as error:
            logging.getLogger(__name__).exception("training ended")
            trouble = problem("training_failed", step=self._trainer.steps_done, detail=type(error).__name__)
        finally:
            self._line.leave(self)
            try:
                self.catch_up(self._trainer)
                self._trainer.release()
            finally:
                self._become(end, trouble)

    def _train(self) -> Status:
        """Step by step until something ends it."""
        while self._trainer.steps_done < self.recipe.steps:
            if not self._turn():
                return "stopped"
            begun = time.perf_counter()
            report = self._trainer.step()
            taken = time.perf_counter() - begun
            self.add(self._trainer, report, taken)
            time.sleep(_BREATH * taken)
        return "done"

    def _turn(self) -> bool:
        """Wait until a step may be made; False if none shall be."""
        while not self._abandoned():
            with self._state:
                wish = self._wish
            if wish == "stop":
                return False
            if wish == "pause":
                self._rest()
                continue
            self._line.enter(self)
            if self._line.served(self, 0):
                self._become("running")
                return True
            self._become("waiting")
            self._line.served(self, _POLL)
        return False

    def _rest(self) -> None:
        self._line.leave(self)
        self.catch_up(self._trainer)
        self._become("paused")
        with self._state:
            self._state.wait_for(lambda: self._wish != "pause", _POLL)

    def _become(self, status: Status, trouble: InputError | None = None) -> None:
        with self._state:
            if status != self._status or trouble is not None:
                self._status, self._problem = status, trouble
                self._state.notify_all()

    def _abandoned(self) -> bool:
        """Whether nobody has been there for longer than the grace."""
        now = time.monotonic()
        if now - self._asked >= min(_ASK_ALIVE, self.grace):
            self._asked = now
            if self._alive():
                self._seen = now
        return now - self._seen > self.grace


def _end_all() -> None:
    """A thread that is still computing while Python ends would take the process down."""
    running = [run for run in _STARTED if run.status not in ENDED]
    for run in running:
        run.stop()
    for run in running:
        run.join(_LAST_WAIT)


_STARTED: weakref.WeakSet[TrainingRun] = weakref.WeakSet()
atexit.register(_end_all)


def _changed(recipe: Recipe, rate: float | None, steps: int | None) -> Recipe:
    rate = recipe.rate if rate is None else _within("learning_rate", rate, RATES)
    return replace(
        recipe, rate=rate, steps=recipe.steps if steps is None else int(_within("steps", steps, STEPS))
    )


def _within(name: str, value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    if not low <= value <= high:
        raise out_of_range(name, value, low, high)
    return value
