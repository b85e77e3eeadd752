"""A model that was trained elsewhere: from a file, or one that comes with the app."""

from __future__ import annotations

from app import state
from app.labs.knobs import KNOBS
from app.learn.training import runs
from app.learn.training.setup import Setup, chosen
from models.training.checkpoint import Trained
from models.training.tasks import TASKS


def look_at(trained: Trained) -> None:
    """Set the controls to what the file says, so that the page shows it."""
    config, usual = trained.model.config, TASKS[trained.task.name]
    own = usual.config
    state.turn(
        t_task=usual.name,
        t_seed=trained.seed if trained.seed <= KNOBS["t_seed"].high else 0,
        t_rate=0.0,
        t_step=-1,
        t_text="",
        t_length=0 if trained.task.length == usual.length else trained.task.length,
        t_d_model=0 if config.d_model == own.d_model else config.d_model,
        t_heads=0 if config.heads == own.heads else config.heads,
        t_layers=0 if config.layers == own.layers else config.layers,
    )
    runs.take(chosen(), trained)


def differs(setup: Setup) -> bool:
    """Whether the model from a file has something that this page cannot choose, such as where its norms stand."""
    given = runs.taken(setup)
    return given is not None and given.model.config != setup.config
