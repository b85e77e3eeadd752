"""The session's trainings, and models that it took over from a file (see `app.learn.training.shelf` for how long)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

from app.learn.training import shelf
from app.learn.training.setup import Setup, key_of
from models.training.checkpoint import Trained
from models.training.run import TrainingRun
from models.training.runs import RUNS
from models.transformer.model import Transformer

KEPT = 3  # trainings of different setups, and models from files; the snapshots of one take up to 200 MB

Key = tuple[str, int]

_numbers = count()


@dataclass(frozen=True)
class Seen:
    """A model at one step: of a run, of a file, or not trained at all. `make` builds it, `key` names it in caches."""

    setup: Setup
    step: int
    make: Callable[[], Transformer]
    origin: str = ""

    @property
    def key(self) -> Key:
        return f"{self.origin} {key_of(self.setup)}", self.step


@dataclass(frozen=True)
class Taken:
    """A model that was trained elsewhere, with a number that no other has had: caches tell them apart by it."""

    trained: Trained
    number: int


def run_of(setup: Setup) -> TrainingRun | None:
    """The session's training of this setup, if there is one and no model from a file stands in front of it."""
    return None if key_of(setup) in _taken() else _runs().get(key_of(setup))


def has_own(setup: Setup) -> bool:
    """Whether the session has trained this setup, even if a model from a file stands in front of that."""
    return key_of(setup) in _runs()


def running() -> TrainingRun | None:
    """The training that is going on, of whatever setup."""
    return next((run for run in _runs().values() if run.status in ("running", "waiting")), None)


def any_of_session() -> bool:
    """Whether the session has trained or taken over a model."""
    return bool(_runs() or _taken())


def begin(setup: Setup) -> TrainingRun:
    """Train this setup from the start; what this session trains otherwise is stopped. Raises InputError for what does
    not fit the memory."""
    others = RUNS.reserved(but=_name())
    options: dict[str, Any] = {"rate": setup.rate, "reserved": others, "grace": shelf.KEEP}
    run = TrainingRun(setup.task, setup.seed, setup.config, alive=_alive(), **options)
    _taken().pop(key_of(setup), None)
    forget(setup)
    runs = _runs()
    runs[key_of(setup)] = run
    for old in list(runs)[:-KEPT]:
        runs.pop(old).stop()
    RUNS.start(_name(), run)
    return run


def forget(setup: Setup) -> None:
    """Back to the untrained model; from a model of a file, back to the session's own training if there is one."""
    if _taken().pop(key_of(setup), None) is not None:
        return
    if (run := _runs().pop(key_of(setup), None)) is not None:
        run.stop()


def take(setup: Setup, trained: Trained) -> None:
    """Look at a model that was trained elsewhere."""
    if (run := run_of(setup)) is not None:
        run.pause()
    models = _taken()
    models.pop(key_of(setup), None)
    models[key_of(setup)] = Taken(trained, next(_numbers))
    for old in list(models)[:-KEPT]:
        del models[old]


def taken(setup: Setup) -> Trained | None:
    """The model from a file that stands in for a training of this setup."""
    found = _taken().get(key_of(setup))
    return None if found is None else found.trained


def seen(setup: Setup, step: int) -> Seen:
    """The model of this setup after `step` steps, or the last snapshot before it; a negative step is the newest."""
    if (given := _taken().get(key_of(setup))) is not None:
        return Seen(setup, given.trained.step, lambda: given.trained.model, f"taken {given.number}")
    run = run_of(setup)
    if run is None:
        return Seen(setup, 0, lambda: Transformer(setup.config, setup.seed).eval())
    snapshot = run.latest if step < 0 else run.snapshot_at(step)
    return Seen(setup, snapshot.step, lambda: snapshot.model(setup.config))


def _runs() -> dict[str, TrainingRun]:
    found: dict[str, TrainingRun] = shelf.content().setdefault("runs", {})
    return found


def _taken() -> dict[str, Taken]:
    found: dict[str, Taken] = shelf.content().setdefault("taken", {})
    return found


def _name() -> str:
    """What the session is called in the register of all trainings."""
    found: str = shelf.content().setdefault("name", uuid4().hex)
    return found


def _alive() -> Callable[[], bool]:
    """Whether the tab is still there: that of the session which has taken the training over, if one has."""
    owner = shelf.current()
    return lambda: shelf.present(owner.session)
