"""Save the model that is looked at, and take one from a file."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t
from app.lab.knobs import KNOBS
from app.notice import error_notice
from app.training import runs
from app.training.setup import Setup, chosen
from models.errors import InputError
from models.training import checkpoint
from models.training.tasks import TASKS


def show_files(setup: Setup) -> None:
    """Folded away: most readers never need it."""
    with st.expander(t("training.files"), icon=":material/save:", key="am.train_files"):
        left, right = st.columns(2, gap="medium")
        with left:
            seen = runs.seen(setup, state.lab("t_step"))
            st.text(t("training.save_help", step=f"{seen.step:,}"))
            st.download_button(
                t("training.save"),
                lambda: checkpoint.save(seen.make(), setup.task, seed=setup.seed, step=seen.step),
                file_name=f"{setup.task.name}-seed{setup.seed}-step{seen.step}.safetensors",
                mime="application/octet-stream",
                key="am.train_save",
                icon=":material/download:",
            )
        with right:
            _load()


def _load() -> None:
    given = st.file_uploader(t("training.load"), type="safetensors", key="am.train_load")
    memory = state.scratch("training")
    if given is None or memory.get("loaded") == given.file_id:
        return
    try:
        trained = checkpoint.load(given.getvalue())
    except InputError as error:
        error_notice(error, "training_load")
        return
    memory["loaded"] = given.file_id
    _look_at(trained)
    st.rerun()


def _look_at(trained: checkpoint.Trained) -> None:
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
