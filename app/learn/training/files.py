"""Save the model that is looked at, and take one from a file."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t
from app.learn.training import runs
from app.learn.training.given import look_at
from app.learn.training.setup import Setup
from app.notice import error_notice
from components.save_file import save_file
from models.errors import InputError
from models.training import checkpoint


def show_files(setup: Setup) -> None:
    """Folded away: most readers never need it."""
    folded = st.expander(t("training.files"), icon=":material/save:", key="am.train_files", on_change="rerun")
    with folded:
        left, right = st.columns(2, gap="medium")
        if folded.open:  # the whole model goes to the browser with the button
            with left:
                _save(setup)
        with right:
            _load()


def _save(setup: Setup) -> None:
    seen, given = runs.seen(setup, state.lab("t_step")), runs.taken(setup)
    seed = setup.seed if given is None else given.seed
    st.text(t("training.save_help", step=f"{seen.step:,}"))
    save_file(
        t("training.save"),
        checkpoint.save(seen.make(), setup.task, seed=seed, step=seen.step),
        name=f"{setup.task.name}-seed{seed}-step{seen.step}.safetensors",
        mime="application/octet-stream",
        key="am.train_save",
    )


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
    look_at(trained)
    st.rerun()
