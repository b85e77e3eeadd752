"""Who may train now: so many at once, the others wait in the order they came."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.training.run import TrainingRun


class Line:
    """The first `places` in the line may work, the others wait. Safe to use from any thread."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._line: list[object] = []
        self._moved = threading.Condition()

    def enter(self, who: object) -> None:
        """Stand at the end, unless already in the line."""
        with self._moved:
            if who not in self._line:
                self._line.append(who)

    def leave(self, who: object) -> None:
        with self._moved:
            if who in self._line:
                self._line.remove(who)
                self._moved.notify_all()

    def served(self, who: object, seconds: float) -> bool:
        """Whether it is the turn of `who`; waits for that up to so many seconds."""
        with self._moved:
            return self._moved.wait_for(lambda: who in self._line[: self.places], seconds)

    def ahead(self, who: object) -> int:
        """How many have to leave first."""
        with self._moved:
            return max(0, self._line.index(who) + 1 - self.places) if who in self._line else 0


class Runs:
    """The trainings of all sessions: one each, and as many at once as the machine has cores (at least two).

    A run is kept here only as long as its session or its thread keeps it.
    """

    def __init__(self, places: int | None = None) -> None:
        self.line = Line(max(2, os.cpu_count() or 1) if places is None else places)
        self._runs: weakref.WeakValueDictionary[str, TrainingRun] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def start(self, session: str, run: TrainingRun) -> None:
        """Begin `run`; what this session trained before is stopped."""
        with self._lock:
            earlier = self._runs.get(session)
            self._runs[session] = run
        if earlier is not None and earlier is not run:
            earlier.stop()
        run.start(self.line)

    def reserved(self, but: str = "") -> int:
        """Bytes that the trainings of all sessions but one may take that have not ended. What they hold already is
        counted as well: better a training too few than a machine without memory."""
        with self._lock:
            runs = [run for session, run in self._runs.items() if session != but]
        return sum(run.reserves for run in runs)

    def of(self, session: str) -> TrainingRun | None:
        with self._lock:
            return self._runs.get(session)


RUNS = Runs()
