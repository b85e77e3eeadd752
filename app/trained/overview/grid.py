"""The grid of all heads of a stack, and the chips that find a kind of head in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from app import choices, state
from app.i18n import t, words
from app.trained.axes import axes_of
from app.trained.kept import Kept
from app.trained.opening import Opened
from app.trained.pictures import Pictures, draw_pictures
from app.trained.shown import Axis
from app.trained.stack import Stack, on_place
from components.head_grid import head_grid, head_grid_data
from models.head_roles import SHARES

CHANNEL = "model"
HEIGHT = 540  # pixels: grid and legend fit a laptop's screen
PICTURES_KEPT = 6  # up to 1.2 MB each
LEAST = 0.1  # a head that does something less than this is no example of it
QUICK = 20_000_000  # weights that are drawn without a progress bar


def show_grid(now: Opened, stack: Stack) -> None:
    """Draw chips and grid; a click on a head looks at it."""
    pictures = _pictures(now, stack)
    kind = _chips(pictures, stack)
    columns = stack.most_heads
    rows, cols = _names(stack, axes_of(now, stack))
    keys = len(cols)
    pooled = t("components.head_grid.pooled", tokens=keys, side=pictures.side) if keys > pictures.side else ""
    head_grid(
        head_grid_data(
            pictures.codes,
            [_name(place, stack) for place in range(len(pictures.codes))],
            keys=keys,
            strongest=pictures.strongest,
            row_tokens=rows,
            col_tokens=cols,
            text=words("head_grid", even=t("components.head_grid.even", keys=keys), pooled=pooled),
            columns=columns,
            row_names=[f"L{layer}" for layer in stack.layers],
            column_names=[f"H{head}" for head in range(columns)],
            height=HEIGHT,
            channel=CHANNEL,
            shades=None if kind is None else _known(pictures, kind).tolist(),
        ),
        key=f"model_grid_{'_'.join(stack.name)}",
        on_select=on_place(stack.layers, columns),
    )


def _names(stack: Stack, axes: tuple[Axis, Axis]) -> tuple[Sequence[str], Sequence[str]]:
    """What rows and columns are called; numbers if the layers differ in size, as where a Funnel pools: what is a token
    in one of them is none in another."""
    if len({(call.queries, call.keys) for call in stack.calls}) == 1:
        return axes[0].labels, axes[1].labels
    longest = max(call.queries for call in stack.calls), max(call.keys for call in stack.calls)
    rows, cols = ([str(place) for place in range(count)] for count in longest)
    return rows, cols


def _name(place: int, stack: Stack) -> str:
    """L3 H1; empty for a head that the layer does not have."""
    row, head = divmod(place, stack.most_heads)
    return f"L{stack.layers[row]} H{head}" if head < stack.calls[row].heads else ""


def _chips(pictures: Pictures, stack: Stack) -> str | None:
    """The best head of every kind; choosing one looks at it and dims the others."""
    found = [kind for kind in SHARES if _known(pictures, kind).max() >= LEAST]
    best = {kind: int(_known(pictures, kind).argmax()) for kind in found}

    def label(kind: str) -> str:
        row, head = divmod(best[kind], stack.most_heads)
        score = pictures.scores[kind][best[kind]]
        return f"{t(f'trained.kind.{kind}')} :gray[L{stack.layers[row]}H{head} {score:.2f}]"

    go = on_place(stack.layers, stack.most_heads)

    def look(chosen: str | None) -> None:
        if chosen is not None:
            go(best[chosen])

    if not found:
        return None
    with st.container(key="find"):
        chosen = state.marked("kind", look)
        return choices.pills(t("trained.find"), found, label, chosen, label_visibility="collapsed")


def _known(pictures: Pictures, kind: str) -> npt.NDArray[np.float32]:
    """The scores of all heads, 0 where nothing was measured."""
    return np.nan_to_num(pictures.scores[kind])


def _pictures(now: Opened, stack: Stack) -> Pictures:
    axes = axes_of(now, stack)
    shown = tuple((axis.groups, axis.kept) for axis in axes)
    return _kept().get((now.key, stack.name, shown), lambda: _drawn(now, stack, axes))


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Pictures]:
    return Kept(PICTURES_KEPT)


def _drawn(now: Opened, stack: Stack, axes: tuple[Axis, Axis]) -> Pictures:
    """The pictures, with a progress bar if they take long. A changed input stops the work at the bar's next step."""
    size = len(stack.calls) * stack.most_heads * stack.call.queries * stack.call.keys
    if size < QUICK:
        return draw_pictures(stack.calls, now.trace.tokens, axes=axes)
    place = st.empty()
    bar = place.progress(0.0, t("trained.drawing"))
    found = draw_pictures(
        stack.calls, now.trace.tokens, lambda share: bar.progress(share, t("trained.drawing")), axes
    )
    place.empty()
    return found
