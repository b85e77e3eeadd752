"""The model that a page begins with, where the app's first model would have little to show."""

from __future__ import annotations

from dataclasses import fields, replace

import streamlit as st

from app import state
from app.model_view import ModelView, with_model


def begin_with(name: str, page: str, stay: str) -> None:
    """Open the model `name` for whoever comes to `page` without having chosen a model or a text. Choosing the app's
    first model on this page keeps it: the knob `stay` says so in the address."""
    memory = state.scratch(page)
    seen = memory.get("model") if memory.get("visit") == state.visit() else None
    view = state.model_view()
    memory.update(visit=state.visit(), model=view.model)
    if view.model != ModelView().model or state.lab(stay):
        return
    if seen is not None and seen != view.model:
        state.turn(**{stay: True})
    elif view.text == ModelView().text and not view.pair:
        memory.update(model=name)
        open_model(name)
        st.rerun()


def open_model(name: str) -> None:
    """Look at another model, at its example."""
    view = with_model(replace(state.model_view(), text="", pair="", target=""), name)
    state.look(**{field.name: getattr(view, field.name) for field in fields(view)})
