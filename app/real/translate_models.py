"""Which model the encoder–decoder page shows at first, and the way from one that lacks a place to one that has all."""

from __future__ import annotations

from dataclasses import fields, replace

import streamlit as st

from app import state
from app.i18n import t
from app.model_view import ModelView, with_model
from app.real.translate import Places
from app.real.translate_words import lacks

COMPLETE = ("words-en", "words-zh")  # models of our own that have all three places


def prefer_a_complete_model() -> None:
    """Whoever comes here without having chosen a model or a text sees one with all three places. Choosing the app's
    first model on this page keeps it: `e_stay` says so in the address."""
    memory = state.scratch("translate")
    seen = memory.get("model") if memory.get("visit") == state.visit() else None
    view = state.model_view()
    memory.update(visit=state.visit(), model=view.model)
    if view.model != ModelView().model or state.lab("e_stay"):
        return
    if seen is not None and seen != view.model:
        state.turn(e_stay=True)
    elif view.text == ModelView().text and not view.pair:
        memory.update(model=_preferred())
        open_model(_preferred())
        st.rerun()


def _preferred() -> str:
    own = f"words-{state.language()}"
    return own if own in COMPLETE else COMPLETE[0]


def open_model(name: str) -> None:
    """Look at another model, at its example."""
    view = with_model(replace(state.model_view(), text="", pair="", target=""), name)
    state.look(**{field.name: getattr(view, field.name) for field in fields(view)})


def show_missing(places: Places) -> None:
    """What the model does not have, and a click to those that do."""
    sentences = lacks(places)
    if not sentences:
        return
    st.html(f'<p class="am-small">{t("translate.says.sep").join(sentences)}</p>')
    with st.container(horizontal=True, key="translate_offer"):
        for name in COMPLETE:
            label = t(f"translate.offer.{name.removeprefix('words-')}")
            st.button(label, key=f"am.open_{name}", on_click=open_model, args=(name,))
