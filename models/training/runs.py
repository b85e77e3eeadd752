"""The trainings that are under way, whoever began them."""

from __future__ import annotations

import os
import threading
import weakref

from models.training.line import Line
from models.training.run import TrainingRun


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
