"""The grid of all heads of a stack, and the chips that find a kind of head in it."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t, words
from app.real.opening import Opened
from app.real.pictures import Pictures, draw_pictures
from app.real.stack import Stack, labels_of
from components.head_grid import head_grid
from models.head_scores import KINDS

CHANNEL = "model"
HEIGHT = 470  # pixels: grid and legend fit a laptop's screen


def show_grid(now: Opened, stack: Stack, special: tuple[bool, ...]) -> None:
    """Draw chips and grid; a click on a head looks at it."""
    pictures = _pictures(now, stack, special)
    kind = _chips(pictures, stack)
    columns = stack.most_heads
    rows, cols = labels_of(stack.call)
    keys = stack.call.keys
    pooled = t("components.head_grid.pooled", tokens=keys, side=pictures.side) if keys > pictures.side else ""
    head_grid(
        pictures.codes,
        [_name(place, stack) for place in range(len(pictures.codes))],
        keys=keys,
        strongest=pictures.strongest,
        row_tokens=rows,
        col_tokens=cols,
        text=words("head_grid", even=t("components.head_grid.even", keys=keys), pooled=pooled),
        key=f"model_grid_{'_'.join(stack.name)}",
        columns=columns,
        row_names=[f"L{layer}" for layer in range(len(stack.calls))],
        column_names=[f"H{head}" for head in range(columns)],
        height=HEIGHT,
        channel=CHANNEL,
        shades=None if kind is None else pictures.scores[kind].tolist(),
        on_select=lambda place: state.look(layer=place // columns, head=place % columns),
    )


def _name(place: int, stack: Stack) -> str:
    """L3 H1; empty for a head that the layer does not have."""
    layer, head = divmod(place, stack.most_heads)
    return f"L{layer} H{head}" if head < stack.calls[layer].heads else ""


def _chips(pictures: Pictures, stack: Stack) -> str | None:
    """The best head of every kind; choosing one looks at it and dims the others."""
    best = {kind: int(pictures.scores[kind].argmax()) for kind in KINDS}
    found = [kind for kind in KINDS if pictures.scores[kind].max() > 0]

    def label(kind: str) -> str:
        layer, head = divmod(best[kind], stack.most_heads)
        return t(
            f"real.kind.{kind}", place=f"L{layer}H{head}", score=f"{pictures.scores[kind][best[kind]]:.2f}"
        )

    def look() -> None:
        chosen = state.widget("am.kind")
        if chosen in best:
            layer, head = divmod(best[chosen], stack.most_heads)
            state.look(layer=layer, head=head)

    with st.container(key="find"):
        return st.pills(
            t("real.find"),
            found,
            format_func=label,
            key="am.kind",
            on_change=look,
            label_visibility="collapsed",
        )


def _pictures(now: Opened, stack: Stack, special: tuple[bool, ...]) -> Pictures:
    place = st.empty()
    bar = None if _is_quick(stack) else place.progress(0.0, t("real.drawing"))
    found = _drawn(f"{now.key} {stack.name}", stack, special, bar)
    place.empty()
    return found


def _is_quick(stack: Stack) -> bool:
    return len(stack.calls) * stack.most_heads * stack.call.queries * stack.call.keys < 20_000_000


@st.cache_resource(max_entries=6, show_spinner=False)
def _drawn(key: str, _stack: Stack, _special: tuple[bool, ...], _bar: object) -> Pictures:  # noqa: ARG001
    def report(share: float) -> None:
        if _bar is not None:
            _bar.progress(share, t("real.drawing"))  # type: ignore[attr-defined]

    return draw_pictures(_stack.calls, _special, report)
