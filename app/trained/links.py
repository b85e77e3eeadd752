"""The links of a head beside its matrix, and the ways to thin them out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import choices, state
from app.i18n import t, words
from app.model_view import LINKS_KEPT, PARTS
from app.trained.axes import has_pair
from app.trained.opening import Opened
from app.trained.row_words import sink_shares
from app.trained.shown import Axis, Floats, shown_weights, strongest_only, without_sink
from app.trained.stack import Stack
from components.token_links import Pick, token_links, token_links_data

TOGETHER = 40_000  # heads × queries × keys up to which the links of all heads of the layer are sent
CHANNEL = "model_head"


def all_heads(stack: Stack, rows: Axis, cols: Axis) -> bool:
    """Whether the links of all heads of the layer are sent, so that they can be switched on in the browser."""
    return stack.call.heads * len(rows.labels) * len(cols.labels) <= TOGETHER


def show_links(stack: Stack, rows: Axis, cols: Axis, height: int) -> None:
    """Draw the links of the chosen head; the layer's other heads can be switched on if the text is not too long."""
    together = all_heads(stack, rows, cols)
    shown = list(range(stack.call.heads)) if together else [stack.head]
    weights = np.stack([shown_weights(stack.call.weights(head), rows, cols) for head in shown])
    if state.model_view().sink:
        weights = without_sink(weights, cols)
    if count := state.model_view().kept:
        weights = strongest_only(weights, count)

    def look(token: Pick) -> None:
        if token.side == "query":
            state.look(i=rows.token_at(token.index))
        else:
            state.look(j=cols.token_at(token.index))

    token_links(
        token_links_data(
            weights,
            rows.labels,
            cols.labels,
            names=[t("trained.head_short", head=head) for head in shown],
            text=words("token_links"),
            colours=shown,
            only_active=True,
            height=height,
            channel=CHANNEL,
            sinks=_sinks(stack, shown, rows),
        ),
        key="model_links",
        on_pick=look,
    )


def _sinks(stack: Stack, shown: list[int], rows: Axis) -> Floats | None:
    """H × N: what the rows of the shown heads give to the model's sink; None for a model without."""
    found = [sink_shares(stack.call, head, rows) for head in shown]
    return None if found[0] is None else np.stack([shares for shares in found if shares is not None])


def show_link_options(now: Opened, stack: Stack) -> None:
    """First token aside, how many links per query, one direction of a sentence pair."""
    with st.container(horizontal=True, vertical_alignment="center", key="link_options"):
        st.toggle(t("trained.sink"), help=t("trained.sink_help"), **state.bind("model_sink"))
        names = {n: t("trained.kept_some", count=n) if n else t("trained.kept_all") for n in LINKS_KEPT}
        choices.select(
            t("trained.kept"),
            LINKS_KEPT,
            names.__getitem__,
            state.field("model_kept"),
            label_visibility="collapsed",
            width=190,
        )
        if has_pair(now, stack):
            choices.segments(
                t("trained.part"),
                PARTS,
                lambda part: t(f"trained.parts.{part}"),
                state.field("model_part"),
                required=True,
                label_visibility="collapsed",
            )
