"""The whole model at once: every head of every layer, the chosen one enlarged beside the grid."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import t
from app.real.axes import axes_of
from app.real.facts import show_facts, show_layer_notes, show_notes
from app.real.head_matrix import show_head_matrix
from app.real.headline import choose_stack, open_link, spoken, title
from app.real.opening import Opened, opened
from app.real.overview_grid import CHANNEL, show_grid
from app.real.shown import Axis, Floats, shown_weights
from app.real.stack import Stack, current_stack
from models.pretrained.layer_list import spans

ENLARGED = 390  # pixels
FEW = 8  # layers whose grid leaves room below it
NAMED = 6  # keys in the list of what the query looks at
LEAST = 0.005  # weights that are named


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_overview"):
        left, right = st.columns([1.42, 1], gap="medium")
        with left, st.container(gap="small"):
            title(t("real.overview.title"), _lead(now, stack))
            choose_stack(now)
            show_grid(now, stack)
            show_layer_notes(now, stack)
            if len(stack.calls) <= FEW:
                show_facts(now)
        with right, st.container(gap="small"):
            _chosen(now, stack)
            if len(stack.calls) > FEW:
                show_facts(now)


def _lead(now: Opened, stack: Stack) -> str:
    """How many heads in how many layers read the text."""
    others = now.model.info.others.get(stack.name, {})
    count, numbers = len(stack.calls), spans(stack.layers)
    return t(
        "real.overview.lead_some" if others else "real.overview.lead",
        heads=sum(call.heads for call in stack.calls),
        layers=count,
        total=count + len(others),
        numbers=numbers,
        tokens=stack.call.keys,
    )


def _chosen(now: Opened, stack: Stack) -> None:
    """The chosen head's weights with exact numbers, and what the chosen query looks at."""
    rows, cols = axes_of(now, stack)
    weights = shown_weights(stack.call.weights(stack.head), rows, cols)

    name, link = st.columns([1.6, 1], vertical_alignment="center")
    name.html(f"<h2>{t('real.place', layer=stack.layer, head=stack.head)}</h2>")
    with link:
        open_link("model_head", t("real.open_head"), ":material/zoom_in:")
    show_head_matrix(
        weights,
        stack,
        rows,
        cols,
        key="model_enlarged",
        height=ENLARGED,
        channel=CHANNEL,
        head=stack.row * stack.most_heads + stack.head,
    )
    _strongest(weights, rows, cols, rows.place_of(stack.i) or 0)


def _strongest(weights: Floats, rows: Axis, cols: Axis, place: int) -> None:
    """ "it looks at animal 0.68, [CLS] 0.10 …": what the chosen query looks at most."""
    order = sorted(enumerate(weights[place]), key=lambda pair: -pair[1])[:NAMED]
    parts = [
        f'<span class="am-k">{spoken(cols.labels[j])}</span> <b>{weight:.2f}</b>'
        for j, weight in order
        if weight >= LEAST
    ]
    lead = t("real.looks_at", token=f'<b class="am-q">{spoken(rows.labels[place])}</b>')
    nothing = escape(t("real.looks_at_nothing"))
    st.html(f'<p class="am-links">{lead} {" ".join(f"<span>{part}</span>" for part in parts) or nothing}</p>')
