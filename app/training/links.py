"""From a snapshot to the other pages: they then look at the same head of the same weights."""

from __future__ import annotations

import streamlit as st

from app import navigation
from app.i18n import t
from app.training.mine import look_at
from models.transformer.model import Place

PAGES = (
    ("model_steps", ":material/stairs_2:"),
    ("model_overview", ":material/apps:"),
    ("model_head", ":material/hub:"),
    ("model_grow", ":material/edit:"),
    ("model_cause", ":material/power_settings_new:"),
)


def show_links(text: str, place: Place, head: int) -> None:
    """One button per page that there is."""
    there = navigation.names()
    with st.container(horizontal=True, vertical_alignment="center", key="training_links"):
        st.html(f"<span>{t('training.open_in')}</span>")
        for name, icon in PAGES:
            if name not in there:
                continue
            opened = st.button(
                t(f"pages.{name}"),
                icon=icon,
                key=f"am.open_{name}",
                type="tertiary",
                on_click=look_at,
                args=(text, place.stream, place.kind, place.layer, head),
            )
            if opened:
                st.switch_page(navigation.page(name))
