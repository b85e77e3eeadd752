"""The chosen head: what its measures say, and all of them as bars beside even attention."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from app.i18n import t
from app.trained.roles.roles import Roles
from app.trained.roles.words import UNITS, head_sentences, left_out, name_of, written
from app.trained.stack import Stack
from models.head_roles import MEASURES, Scores

_STYLE = Path(__file__).with_name("roles.css")


def show_profile(roles: Roles, stack: Stack, measure: str) -> None:
    """Sentences, bars, and what is missing; the chosen measure stands out."""
    scores = roles.layers[stack.row]
    st.html(_STYLE)
    st.html(f'<p class="am-small">{t("roles.sep").join(head_sentences(scores, stack.head))}</p>')
    bars = "".join(_bar(scores, name, stack.head, measure) for name in MEASURES if name in scores.values)
    if bars:
        key = escape(t("roles.bar_key"))
        st.html(f'<div class="am-profile">{bars}<p><i></i>{key}</p></div>')
    if missing := left_out(roles, stack):
        st.html(f'<ul class="am-notes">{"".join(f"<li>{escape(note)}</li>" for note in missing)}</ul>')


def _bar(scores: Scores, name: str, head: int, chosen: str) -> str:
    value, even = scores.value(name, head), scores.even[name]
    top = max(1e-9, even * 2 if name == "distance" else even) if name in UNITS else 1.0
    share = min(1.0, (value or 0.0) / top)
    kind = "wide" if name in (*UNITS, "evenness") else "share"
    marked = " chosen" if name == chosen else ""
    return (
        f'<div class="{kind}{marked}"><span>{escape(name_of(name))}</span>'
        f'<span class="track"><i style="width:{share:.1%}"></i><em style="left:{min(1.0, even / top):.1%}"></em></span>'
        f"<b>{written(name, value)}</b></div>"
    )
