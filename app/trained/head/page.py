"""One head: the matrix and the token links side by side, each lighting up the other."""

from __future__ import annotations

import streamlit as st

from app.i18n import t
from app.trained.axes import axes_of
from app.trained.facts import show_notes
from app.trained.head_matrix import show_head_matrix
from app.trained.headline import choose_head, choose_stack, more_links, open_link, spoken, title
from app.trained.links import CHANNEL, all_heads, show_link_options, show_links
from app.trained.notes import shared
from app.trained.opening import Opened, opened
from app.trained.row_words import averages
from app.trained.shown import shown_weights
from app.trained.stack import Stack, current_stack

PICTURE = 500  # pixels: with what stands above, everything that is hovered fits a laptop's screen


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_head", gap="small"):
        _header(now, stack)
        rows, cols = axes_of(now, stack)
        left, right = st.columns([1.12, 1], gap="medium")
        with left:
            show_head_matrix(
                shown_weights(stack.call.weights(stack.head), rows, cols),
                stack,
                rows,
                cols,
                key="model_matrix",
                height=PICTURE,
                channel=CHANNEL,
                head=stack.head if all_heads(stack, rows, cols) else 0,
            )
            show_link_options(now, stack)
        with right:
            show_links(stack, rows, cols, PICTURE - 30)


def _header(now: Opened, stack: Stack) -> None:
    name, link = st.columns([4.6, 1])
    with name:
        title(t("trained.place", layer=stack.layer, head=stack.head), _doing(now, stack))
    with link:
        open_link("model_cell", t("trained.open_cell"), ":material/calculate:")
    with st.container(horizontal=True, vertical_alignment="center", key="choose_head"):
        choose_stack(now)
        choose_head(stack)
        more_links()


def _doing(now: Opened, stack: Stack) -> str:
    """Where this head's attention goes on average, which key–value head serves it, what a translator wrote next."""
    sentences = averages(stack.call, stack.head, now.trace.tokens)
    if stack.call.kv_heads < stack.call.heads:
        sentences.append(shared(stack.call, stack.head))
    return " ".join([*sentences, *_following(now, stack)])


def _following(now: Opened, stack: Stack) -> list[str]:
    following = now.trace.following if stack.name[0] == "decoder" else None
    if following is None or stack.i >= len(following):
        return []
    query = (stack.call.query_labels or following)[stack.i]
    return [t("trained.following", query=spoken(query), next=spoken(following[stack.i]))]
