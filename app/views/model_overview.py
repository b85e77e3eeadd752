"""The whole model at once: every head of every layer, the chosen one enlarged beside the grid."""

from __future__ import annotations

import streamlit as st

from app import navigation, state
from app.i18n import t, words
from app.real.axes import axes_of, special_keys
from app.real.facts import show_facts, show_notes
from app.real.headline import choose_stack, title
from app.real.opening import Opened, opened
from app.real.overview_grid import CHANNEL, show_grid
from app.real.shown import shown_mask, shown_weights
from app.real.stack import Stack, current_stack
from components.matrix import Selection, matrix

ENLARGED = 400  # pixels
NAMED = 6  # keys in the list of what the query looks at


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    left, right = st.columns([1.42, 1], gap="medium")
    with left, st.container(gap="small"):
        heads = sum(call.heads for call in stack.calls)
        title("real.overview", heads=heads, layers=len(stack.calls), tokens=stack.call.keys)
        choose_stack(now)
        show_grid(now, stack, special_keys(now, stack))
    with right, st.container(gap="small"):
        _chosen(now, stack)
    show_facts(now)


def _chosen(now: Opened, stack: Stack) -> None:
    """The chosen head's weights with exact numbers, and what the chosen query looks at."""
    rows, cols = axes_of(now, stack)
    weights = shown_weights(stack.call.weights(stack.head), rows, cols)
    name, link = st.columns([1.6, 1], vertical_alignment="center")
    name.html(f"<h2>{t('real.place', layer=stack.layer, head=stack.head)}</h2>")
    with link:
        st.page_link(
            navigation.page("model_head"),
            label=t("real.open_head"),
            icon=":material/zoom_in:",
            query_params=state.query(),
        )
    matrix(
        weights,
        rows.labels,
        cols.labels,
        title=t("real.weights"),
        text=words("matrix", label=t("real.weights_label"), tip="{row} → {col}   {value}"),
        key="model_enlarged",
        scale="weights",
        mask=shown_mask(stack.call.visible(stack.head), rows, cols),
        hue="w",
        row_hue="q",
        col_hue="k",
        selected=(rows.place_of(stack.i) or 0, cols.place_of(stack.j) or 0),
        height=ENLARGED,
        channel=CHANNEL,
        head=stack.layer * stack.most_heads + stack.head,
        on_select=lambda cell: _look(cell, now, stack),
    )
    place = rows.place_of(stack.i) or 0
    strongest = sorted(enumerate(weights[place]), key=lambda pair: -pair[1])[:NAMED]
    parts = [f"{cols.labels[j]} {weight:.2f}" for j, weight in strongest if weight > 0]
    st.text(t("real.looks_at", token=rows.labels[place], keys="   ".join(parts)))


def _look(cell: Selection, now: Opened, stack: Stack) -> None:
    rows, cols = axes_of(now, stack)
    state.look(i=rows.token_at(cell.row), j=cols.token_at(cell.col))
