"""The controls of the page that changes a head, and the head's matrix, in which an edge is chosen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import streamlit as st

from app import choices, state
from app.i18n import t, words
from app.trained.axes import axes_of
from app.trained.cause.answer import chance, positions
from app.trained.cause.cause import Seen, change_of, plain
from app.trained.head_matrix import show_head_matrix
from app.trained.headline import choose_head, choose_stack
from app.trained.opening import Opened
from app.trained.shown import Axis, shown_mask, shown_weights
from app.trained.stack import Stack
from components.matrix import Selection, matrix, matrix_data
from models.interventions.change import WHATS
from models.interventions.compare import order_of
from models.interventions.pattern import blocked_edges, changed_weights

Mask = npt.NDArray[np.bool_]

MOST = 40  # heads that are off at once
OFFERED = 12  # likely tokens that can be followed
HEIGHT = 372  # pixels of the matrix
SHOWN: tuple[str, ...] = ("edge", "uniform", "off")
assert set(SHOWN) == set(WHATS)


def show_what() -> None:
    """What is done to the head."""
    with st.container(key="cause_what"):
        choices.segments(
            t("cause.what"),
            SHOWN,
            lambda what: t(f"cause.whats.{what}"),
            state.knob("x_what"),
            required=True,
            label_visibility="collapsed",
        )


def show_head(now: Opened, stack: Stack) -> None:
    """Which attention, layer and head."""
    with st.container(horizontal=True, vertical_alignment="center", key="cause_choose"):
        choose_stack(now)
        choose_head(stack)


def show_output(seen: Seen) -> None:
    """Which position's output is compared, and which token is followed."""
    labels = positions(seen)
    places = {
        place: t(f"cause.at.{seen.subject.compared}", token=plain(label), index=place)
        for place, label in enumerate(labels)
    }
    names = {-1: t("cause.at_auto", place=places[seen.position]), **places}
    with st.container(horizontal=True, vertical_alignment="center", key="cause_output"):
        choices.select(t("cause.position"), list(names), names.__getitem__, state.knob("x_at"))
        if seen.token is not None:
            _choose_token(seen)


def _choose_token(seen: Seen) -> None:
    chances = seen.run.before.double().softmax(-1)
    chosen = int(state.lab("x_token"))
    likely = order_of(seen.run.before)[:OFFERED].tolist()
    if chosen >= 0 and chosen not in likely:
        likely.append(chosen)
    names = {-1: t("cause.token_auto")} | {
        token: f"{seen.label(token)}  {chance(float(chances[token]))}" for token in likely
    }
    choices.select(t("cause.token"), list(names), names.__getitem__, state.knob("x_token"))


def show_besides(stack: Stack) -> None:
    """The heads that are off as well."""
    names = [f"{call.layer}.{head}" for call in stack.calls for head in range(call.heads)]
    chosen = state.lab("x_off")
    choices.several(
        t("cause.besides"),
        names,
        lambda name: "L{}H{}".format(*name.split(".")),
        state.Bound("am.x_off", chosen.split(","), lambda off: state.turn(x_off=",".join(off))),
        placeholder=t("cause.besides_none"),
        max_selections=MOST,
    )


def show_matrix(now: Opened, stack: Stack) -> None:
    """The head's weights as they are under the change; a blocked edge is hidden like any masked cell. A click chooses
    an edge."""
    rows, cols = axes_of(now, stack)
    what = state.lab("x_what")
    change = [change_of(stack, what)]
    call = stack.call
    weights = changed_weights(call, stack.head, change) if call.tier != 3 else call.weights(stack.head)
    visible = call.visible(stack.head)
    open_edges = ~blocked_edges(call, change)
    mask = open_edges if visible is None else visible & open_edges

    def look(cell: Selection) -> None:
        i, j = rows.token_at(cell.row), cols.token_at(cell.col)
        if visible is None or bool(visible[i, j]):  # what the model hides is no edge that could be blocked
            state.look(i=i, j=j)

    matrix(
        matrix_data(
            shown_weights(weights, rows, cols),
            rows.labels,
            cols.labels,
            title=t(f"cause.matrix.{what}"),
            text=words("matrix", label=t("cause.matrix.label"), tip="{row} → {col}   {value}"),
            scale="weights",
            mask=_mask(shown_mask(mask, rows, cols)),
            hue="w",
            row_hue="q",
            col_hue="k",
            selected=_selected(stack, rows, cols),
            height=HEIGHT,
            channel="cause",
        ),
        key="cause_matrix",
        on_select=look,
    )


def show_plain(now: Opened, stack: Stack) -> None:
    """The head's weights as they are, where nothing can be changed."""
    rows, cols = axes_of(now, stack)
    weights = shown_weights(stack.call.weights(stack.head), rows, cols)
    show_head_matrix(
        weights, stack, rows, cols, key="cause_plain", height=HEIGHT, channel="cause", head=stack.head
    )


def _mask(mask: Mask | None) -> Mask | None:
    return None if mask is None or bool(mask.all()) else mask


def _selected(stack: Stack, rows: Axis, cols: Axis) -> tuple[int, int]:
    return rows.place_of(stack.i) or 0, cols.place_of(stack.j) or 0
