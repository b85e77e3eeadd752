"""What a training has published so far: written by its thread, read by all."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import replace

from torch import Tensor

from models.training.memory import NUMBER, parameters_of
from models.training.snapshots import Snapshot, kept_steps, room, taken
from models.training.trainer import Report, Trainer
from models.transformer.config import Config
from models.transformer.model import Place, Transformer

_FRESH = 0.25  # seconds between copies of the latest weights
_LAST = 50  # steps over which the speed is measured


class Record:
    """Reports, snapshots and gradients of one training. What is handed out is never changed again."""

    def __init__(self, trainer: Trainer) -> None:
        self.config: Config = trainer.model.config
        self.places: list[Place] = trainer.model.places()
        self._keep = kept_steps(trainer.recipe.steps, room(NUMBER * parameters_of(self.config)))
        self._lock = threading.Lock()  # never held while something is computed or copied
        self._history: list[Report] = []
        self._latest = taken(0, None, trainer.model)
        self._kept = [self._latest]
        self._gradients: tuple[dict[Place, dict[str, Tensor]], float] = ({}, 1.0)
        self._durations: deque[float] = deque(maxlen=_LAST)
        self._seconds = self._copied = 0.0

    # -- written by the thread

    def add(self, trainer: Trainer, report: Report, seconds: float) -> None:
        """One step that took so many seconds. Copies the weights if it is time to."""
        self._seconds += seconds
        report = replace(report, seconds=self._seconds)
        keep = report.step in self._keep
        due = keep or time.monotonic() - self._copied > _FRESH
        snapshot = taken(report.step, report, trainer.model) if due else None
        with self._lock:
            self._history.append(report)
            self._gradients = trainer.gradients(), trainer.unclip
            self._durations.append(seconds)
            if snapshot is not None:
                self._latest, self._copied = snapshot, time.monotonic()
                self._kept += [snapshot] if keep else []

    def add_lost(self, report: Report) -> None:
        """The report of a step that ran away and moved nothing."""
        with self._lock:
            self._history.append(replace(report, seconds=self._seconds))

    def catch_up(self, trainer: Trainer) -> None:
        """The latest snapshot becomes that of now, if it is not."""
        done = trainer.steps_done
        if self._latest.step != done:
            report = self._history[done - 1] if len(self._history) >= done else None
            snapshot = taken(done, report, trainer.model)
            with self._lock:
                self._latest = snapshot

    # -- read by all

    @property
    def history(self) -> tuple[Report, ...]:
        """The reports of all steps; the last one of a training that diverged is what it ran away with."""
        with self._lock:
            return tuple(self._history)

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """By step: the untrained model, some along the way, and the latest."""
        with self._lock:
            last = () if self._latest.step == self._kept[-1].step else (self._latest,)
            return (*self._kept, *last)

    @property
    def latest(self) -> Snapshot:
        """The weights of now (while running, a fraction of a second old)."""
        with self._lock:
            return self._latest

    def snapshot_at(self, step: int) -> Snapshot:
        """The last snapshot that is not later than `step`."""
        return max((s for s in self.snapshots if s.step <= max(0, step)), key=lambda s: s.step)

    def model_at(self, step: int) -> Transformer:
        """A model of its own with the weights of `snapshot_at(step)`, in eval mode."""
        return self.snapshot_at(step).model(self.config)

    def gradients(self, place: Place) -> dict[str, Tensor]:
        """The gradients of the last step that reached "w_q", "w_k" and "w_v" of an attention, each as large as the
        weight; empty before the first step. Raises KeyError for a place that the model does not have."""
        if place not in self.places:
            raise KeyError(place)
        with self._lock:
            found, factor = self._gradients
        return {name: grad * factor for name, grad in found.get(place, {}).items()}

    @property
    def steps_per_second(self) -> float:
        """Over the last steps; 0 before the first."""
        with self._lock:
            return len(self._durations) / sum(self._durations) if self._durations else 0.0
