"""The session's trainings, and models that it took over from a file. They live as long as the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import state
from app.training.setup import Setup, key_of
from models.training.checkpoint import Trained
from models.training.line import RUNS
from models.training.run import TrainingRun
from models.transformer.model import Transformer

KEPT = 3  # trainings of different setups; the snapshots of one take up to 200 MB

Key = tuple[str, int]


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


def run_of(setup: Setup) -> TrainingRun | None:
    """The session's training of this setup, if there is one."""
    return _runs().get(key_of(setup))


def running() -> TrainingRun | None:
    """The training that is going on, of whatever setup."""
    return next((run for run in _runs().values() if run.status in ("running", "waiting")), None)


def any_of_session() -> bool:
    """Whether the session has trained or taken over a model."""
    return bool(_runs() or _taken())


def begin(setup: Setup) -> TrainingRun:
    """Train this setup from the start; what this session trains otherwise is stopped. Raises InputError for what does
    not fit the memory."""
    run = TrainingRun(setup.task, setup.seed, setup.config, alive=_alive(), rate=setup.rate)
    runs = _runs()
    runs.pop(key_of(setup), None)
    runs[key_of(setup)] = run
    for old in list(runs)[:-KEPT]:
        runs.pop(old).stop()
    RUNS.start(_name(), run)
    return run


def forget(setup: Setup) -> None:
    """Back to the untrained model."""
    if (run := _runs().pop(key_of(setup), None)) is not None:
        run.stop()
    _taken().pop(key_of(setup), None)


def take(setup: Setup, trained: Trained) -> None:
    """Look at a model that was trained elsewhere."""
    forget(setup)
    _taken()[key_of(setup)] = trained


def taken(setup: Setup) -> Trained | None:
    found: Trained | None = _taken().get(key_of(setup))
    return found


def seen(setup: Setup, step: int) -> Seen:
    """The model of this setup after `step` steps, or the last snapshot before it; a negative step is the newest."""
    if (trained := taken(setup)) is not None:
        return Seen(setup, trained.step, lambda: trained.model, f"taken {id(trained)}")
    run = run_of(setup)
    if run is None:
        return Seen(setup, 0, lambda: Transformer(setup.config, setup.seed).eval())
    snapshot = run.latest if step < 0 else run.snapshot_at(step)
    return Seen(setup, snapshot.step, lambda: snapshot.model(setup.config))


def _runs() -> dict[str, TrainingRun]:
    found: dict[str, TrainingRun] = state.scratch("training").setdefault("runs", {})
    return found


def _taken() -> dict[str, Trained]:
    found: dict[str, Trained] = state.scratch("training").setdefault("taken", {})
    return found


def _name() -> str:
    """What the session is called in the register of all trainings."""
    found: str = state.scratch("training").setdefault("name", uuid4().hex)
    return found


def _alive() -> Callable[[], bool]:
    """Whether the session's tab is still there; outside a server it always is."""
    context = get_script_run_ctx()
    session = "" if context is None else context.session_id
    return lambda: not runtime.exists() or bool(runtime.get_instance().is_active_session(session))
