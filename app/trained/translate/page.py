"""The three places of attention in the architecture's own drawing; the chosen one opened beside it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import state
from app.i18n import t
from app.model_view import OWN
from app.trained.facts import show_notes
from app.trained.headline import title
from app.trained.opening import Opened, opened
from app.trained.stack import current_stack
from app.trained.translate.drawing import show_drawing
from app.trained.translate.models import prefer_a_complete_model, show_missing
from app.trained.translate.place import show_place
from app.trained.translate.translate import places_of
from models.pretrained.catalogue import READY_MODELS

CSS = Path(__file__).with_name("translate.css")
SHOWN = 120  # characters of what the model wrote


def show() -> None:
    """Draw the page."""
    st.html(CSS)
    prefer_a_complete_model()
    with st.container(key="model_translate", gap="small"):
        notes = st.container(gap="small")
        left, right = st.columns([1.16, 1], gap="medium")
        with left:
            above = st.container(gap="small")
        with notes:
            now = opened()
        with above:
            if now is not None or _is_here():
                title(t("translate.title"), t("translate.lead"))
            _texts(now)
        if now is None:
            return
        stack = current_stack(now.trace)
        places = places_of(now.trace.calls, now.model.module, now.model.info.positions)
        with notes:
            show_notes(now)
        with left:
            show_drawing(now, places, stack)
            show_missing(places)
        with right, st.container(gap="small"):
            show_place(now, places, stack)


def _is_here() -> bool:
    """Whether the model can be opened without asking: then it is the text that stands against it."""
    name = state.model_view().model
    return name in OWN or (name in READY_MODELS and READY_MODELS[name].ready)


def _texts(now: Opened | None) -> None:
    """What is read and what is written; the same as in the sidebar."""
    view = state.model_view()
    writes = now is None or {"encoder", "decoder"} <= set(now.trace.tokens)
    if not (view.target or writes):
        _text_field("text", view.text, t("translate.only_text"))
        return
    source, target = st.columns(2, gap="small")
    with source:
        _text_field("text", view.text, t("translate.source"))
    with target:
        _text_field("target", view.target, t("translate.target"), _own_words(now))


def _text_field(name: str, value: str, label: str, placeholder: str = "") -> None:
    """One line, or more where the text has more: a single line would lose its line breaks."""
    field = st.text_area if "\n" in value else st.text_input
    field(label, placeholder=placeholder, **state.bind(f"translate_{name}"))


def _own_words(now: Opened | None) -> str:
    """What the model wrote by itself."""
    if now is None or state.model_view().target or "decoder" not in now.trace.tokens:
        return t("translate.target_hint")
    tokens = now.trace.tokens["decoder"]
    words = [piece.label for piece in tokens.pieces if not piece.special]
    text = tokens.texts[0] or ("" if all(len(word) == 1 for word in words) else " ").join(words)
    return t("translate.target_written", written=text[:SHOWN])
