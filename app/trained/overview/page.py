"""The whole model at once: every head of every layer, the chosen one enlarged beside the grid."""

from __future__ import annotations

import streamlit as st

from app.i18n import t
from app.trained.axes import axes_of
from app.trained.facts import show_facts, show_layer_notes, show_notes
from app.trained.head_matrix import show_head_matrix
from app.trained.headline import choose_stack, open_link, title
from app.trained.opening import Opened, opened
from app.trained.overview.grid import CHANNEL, show_grid
from app.trained.row_words import strongest
from app.trained.shown import shown_weights
from app.trained.stack import Stack, current_stack
from models.pretrained.layer_list import spans

ENLARGED = 390  # pixels
FEW = 8  # layers whose grid leaves room below it


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
            title(t("trained.overview.title"), _lead(now, stack))
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
    kind = "lead_rows" if not stack.call.of_tokens else "lead_some" if others else "lead"
    count, numbers = len(stack.calls), spans(stack.layers)
    return t(
        f"trained.overview.{kind}",
        heads=sum(call.heads for call in stack.calls),
        layers=count,
        total=count + len(others),
        numbers=numbers,
        tokens=stack.call.keys,
        rows=stack.call.queries,
    )


def _chosen(now: Opened, stack: Stack) -> None:
    """The chosen head's weights with exact numbers, and what the chosen query looks at."""
    rows, cols = axes_of(now, stack)
    weights = shown_weights(stack.call.weights(stack.head), rows, cols)

    name, link = st.columns([1.6, 1], vertical_alignment="center")
    name.html(f"<h2>{t('trained.place', layer=stack.layer, head=stack.head)}</h2>")
    with link:
        open_link("model_head", t("trained.open_head"), ":material/zoom_in:")
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
    said = strongest(weights, stack, rows, cols, rows.place_of(stack.i) or 0)
    st.html(f'<p class="am-links">{said}</p>')
