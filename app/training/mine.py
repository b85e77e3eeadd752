"""The model that the session trains, for the pages of trained models (it is called "mine" there)."""

from __future__ import annotations

import streamlit as st

from app import navigation, state
from app.i18n import error_text, t
from app.model_view import MINE
from app.notice import notice
from app.training import runs, setup
from models.errors import InputError
from models.pretrained.own import OwnModel


def opened_model() -> OwnModel | None:
    """The session's model at the step that is looked at. The page says it if there is none to speak of yet."""
    try:
        chosen = setup.chosen()
    except InputError as error:
        notice(error_text(error), "mine", problem=True)
        return None
    seen = runs.seen(chosen, state.lab("t_step"))
    if not state.model_view().text.strip():
        state.look(text=setup.text_of(chosen.task))
    if seen.step == 0:
        _offer()
    memory = state.scratch("mine")
    if memory.get("key") != seen.key:
        task = t(f"training.task.{chosen.task.name}")
        name = t("training.mine", task=task, step=f"{seen.step:,}")
        memory.update(
            key=seen.key, model=OwnModel(seen.make(), chosen.task, name=name, source=t("training.here"))
        )
    found: OwnModel = memory["model"]
    return found


def look_at(text: str, stream: str, kind: str, layer: int, head: int) -> None:
    """Make the pages of trained models look at this head of the session's model."""
    state.look(model=MINE, text=text, pair="", target="", stream=stream, kind=kind, layer=layer, head=head)


def _offer() -> None:
    notice(t("training.mine_untrained"), "mine")
    st.page_link(
        navigation.page("training"),
        label=t("training.go"),
        icon=":material/model_training:",
        query_params=state.query(),
    )
