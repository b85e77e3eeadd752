"""From a snapshot to the other pages: they then look at the same head of the same weights."""

from __future__ import annotations

import streamlit as st

from app import navigation
from app.i18n import t
from app.learn.training.mine import look_at
from models.pretrained.call import AttentionCall

PAGES = ("model_steps", "model_overview", "model_head", "model_grow", "model_cause")


def show_links(text: str, call: AttentionCall, head: int) -> None:
    """One button per page; the cell that is looked at there is the strongest of the last query."""
    strongest = int(call.weights(head)[-1].argmax())
    with st.container(horizontal=True, vertical_alignment="center", key="training_links"):
        st.html(f"<span>{t('training.open_in')}</span>")
        for name in PAGES:
            opened = st.button(
                t(f"pages.{name}"),
                icon=navigation.entry(name).icon,
                key=f"am.open_{name}",
                type="tertiary",
                on_click=look_at,
                args=(text, call, head, strongest),
            )
            if opened:
                navigation.go(name)
