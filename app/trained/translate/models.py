"""Which model the encoder–decoder page shows at first, and the way from one that lacks a place to one that has all."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t
from app.trained.preferred import begin_with, open_model
from app.trained.translate.translate import Places
from app.trained.translate.words import lacks

COMPLETE = ("words-en", "words-zh")  # models of our own that have all three places


def prefer_a_complete_model() -> None:
    """Whoever comes here without having chosen a model or a text sees one with all three places."""
    begin_with(_preferred(), "translate", "e_stay")


def _preferred() -> str:
    own = f"words-{state.language()}"
    return own if own in COMPLETE else COMPLETE[0]


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
