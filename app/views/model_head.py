"""One head: the matrix and the token links side by side, each lighting up the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from app import navigation, state
from app.i18n import t, words
from app.model_view import PARTS
from app.real.axes import axes_of, has_pair
from app.real.facts import show_notes
from app.real.headline import choose_head, choose_stack
from app.real.opening import Opened, opened
from app.real.shown import Axis, shown_mask, shown_weights
from app.real.stack import Stack, current_stack
from components.matrix import Selection, matrix
from components.token_links import Pick, token_links

CHANNEL = "model_head"
PICTURE = 520  # pixels
TOGETHER = 40_000  # heads × queries × keys up to which the links of all heads of the layer are sent

Floats = npt.NDArray[np.floating[Any]]


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_head", gap="small"):
        choose_stack(now)
        choose_head(stack)
        rows, cols = axes_of(now, stack)
        left, right = st.columns([1.12, 1], gap="medium")
        with left:
            _matrix(stack, rows, cols)
        with right:
            _links(stack, rows, cols)
        _below(now, stack, rows, cols)


def _matrix(stack: Stack, rows: Axis, cols: Axis) -> None:
    def look(cell: Selection) -> None:
        state.look(i=rows.token_at(cell.row), j=cols.token_at(cell.col))

    matrix(
        shown_weights(stack.call.weights(stack.head), rows, cols),
        rows.labels,
        cols.labels,
        title=t("real.place", layer=stack.layer, head=stack.head),
        text=words("matrix", label=t("real.weights_label"), tip="{row} → {col}   {value}"),
        key="model_matrix",
        scale="weights",
        mask=shown_mask(stack.call.visible(stack.head), rows, cols),
        hue="w",
        row_hue="q",
        col_hue="k",
        selected=(rows.place_of(stack.i) or 0, cols.place_of(stack.j) or 0),
        height=PICTURE,
        channel=CHANNEL,
        head=0,
        on_select=look,
    )


def _links(stack: Stack, rows: Axis, cols: Axis) -> None:
    """The links of the chosen head first, then of the layer's other heads, which can be switched on."""
    call = stack.call
    others = [head for head in range(call.heads) if head != stack.head]
    few = call.heads * len(rows.labels) * len(cols.labels) <= TOGETHER
    shown = [stack.head, *(others if few else [])]
    weights = np.stack([shown_weights(call.weights(head), rows, cols) for head in shown])
    if state.model_view().sink:
        weights = without_sink(weights, cols)

    def look(token: Pick) -> None:
        if token.side == "query":
            state.look(i=rows.token_at(token.index))
        else:
            state.look(j=cols.token_at(token.index))

    token_links(
        weights,
        rows.labels,
        cols.labels,
        names=[t("real.head_short", head=head) for head in shown],
        text=words("token_links"),
        key="model_links",
        only_active=True,
        height=PICTURE - 40,
        channel=CHANNEL,
        on_pick=look,
    )


def without_sink(weights: Floats, cols: Axis) -> Floats:
    """Weights whose first token is left out: as a sink it takes most of many heads and drowns every other link."""
    if cols.place_of(0) != 0:
        return weights
    kept = weights.copy()
    kept[..., 0] = 0
    return kept


def _below(now: Opened, stack: Stack, rows: Axis, cols: Axis) -> None:
    """Ways to look at it, and the way on to the chosen cell."""
    options, cell = st.columns([1.6, 1], gap="medium", vertical_alignment="center")
    with options, st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(t("real.sink"), help=t("real.sink_help"), **state.bind("model_sink"))
        if has_pair(now, stack):
            st.segmented_control(
                t("real.part"),
                PARTS,
                format_func=lambda part: t(f"real.parts.{part}"),
                required=True,
                label_visibility="collapsed",
                **state.bind("model_part"),
            )
    following = now.trace.following if stack.name[0] == "decoder" else None
    if following is not None and stack.i < len(following):
        st.text(
            t(
                "real.following",
                query=_label(rows, stack.i),
                at=_label(cols, stack.j),
                next=following[stack.i],
            )
        )
    with cell:
        st.text(t("real.cell_line", query=_label(rows, stack.i), at=_label(cols, stack.j)))
        st.page_link(
            navigation.page("model_cell"),
            label=t("real.open_cell"),
            icon=":material/calculate:",
            query_params=state.query(),
        )


def _label(side: Axis, token: int) -> str:
    place = side.place_of(token)
    return "–" if place is None else side.labels[place]
