"""The controls beside a trained model: which model, which text, which head."""

from __future__ import annotations

import streamlit as st

from app import choices, state
from app.i18n import t
from app.learn.training import runs
from app.model_view import OWN, READ_ALONE, WRITE_NOTHING
from app.reachable import own_models
from models.pretrained.catalogue import MEGABYTE, READY_MODELS


def show() -> None:
    """Draw the controls; to be called inside `st.sidebar`."""
    _model()
    st.text_area(t("trained.text"), height=110, **state.bind("model_text"))
    view = state.model_view()
    with st.expander(t("trained.more"), icon=":material/tune:"):
        if view.pair or view.model not in READ_ALONE:
            st.text_area(
                t("trained.pair"), height=70, help=t("trained.pair_help"), **state.bind("model_pair")
            )
        if view.target or view.model not in WRITE_NOTHING:
            st.text_area(
                t("trained.target"), height=70, help=t("trained.target_help"), **state.bind("model_target")
            )
        _own()
    st.toggle(t("trained.words"), help=t("trained.words_help"), **state.bind("model_words"))
    st.toggle(t("trained.special"), **state.bind("model_special"))


def _own() -> None:
    """The field for a folder or hub id, where they may be opened; else why not."""
    may = own_models()
    st.text_input(
        t("trained.own"),
        help=t("trained.own_help" if may.everything else "trained.own_folders"),
        placeholder=t("trained.own_hint"),
        disabled=may.nothing,
        **state.bind("model"),
    )
    if may.nothing:
        st.caption(t("trained.own_off"))


def _model() -> None:
    """The ready models, and the user's own if that is what is open."""
    current = state.model_view().model
    own = OWN if runs.any_of_session() else OWN[:-1]
    names = {name: _model_name(name) for name in dict.fromkeys([*READY_MODELS, *own, current])}
    choices.select(
        t("trained.model"),
        list(names),
        lambda name: names.get(name, name),
        state.field("model_ready"),
    )


def _model_name(name: str) -> str:
    ready = READY_MODELS.get(name)
    if name in OWN:
        return t(f"trained.short.{name}")
    if ready is None:
        return name
    size = "" if ready.ready else t("trained.to_fetch", size=round(ready.download_bytes / MEGABYTE))
    return t(f"trained.short.{name}") + size
