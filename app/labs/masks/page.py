"""Laboratory: who may look at whom."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
import streamlit as st

from app import state
from app.i18n import t, words
from app.labs.frame import frame
from app.labs.masks import below as masks_below
from app.labs.masks import masks
from app.labs.masks import words as masks_words
from app.labs.parts import bounds, load_style
from app.session import computed
from components.matrix import Selection, matrix, matrix_data
from models import masked, steps
from models.masked import MaskChoice, Masked
from models.masks import causal, combine, padding, prefix, sliding_window
from models.trace import Trace

HEIGHT = 345


def show() -> None:
    now = computed()
    trace, chosen = now.trace, masks.choice()
    tokens = len(trace.labels("query"))
    result = masked.under_mask(trace, chosen.visible(tokens))
    plain = masked.under_mask(trace, MaskChoice().visible(tokens))
    row, head = min(state.view().i, tokens - 1), min(state.view().head, trace.heads - 1)

    def below() -> None:
        left, right = st.columns(2, gap="large")
        with left:
            masks_below.lost_rows(trace, result, row, head)
        with right:
            masks_below.growing(now.settings, chosen)

    frame(
        "masks",
        picture=lambda: _picture(trace, chosen, result, head),
        knobs=lambda: _knobs(tokens),
        words=lambda: _words(trace, chosen, plain, result, row, head),
        functions=(
            causal,
            sliding_window,
            prefix,
            padding,
            combine,
            steps.apply_mask,
            steps.softmax,
            masked.lost_row,
        ),
        step="masked" if trace.mask is not None else "weights",
        below=below,
    )


def _picture(trace: Trace, chosen: MaskChoice, result: Masked, head: int) -> None:
    places = st.columns(2, gap="small")
    for place, name, values in zip(
        places, ("masked", "weights"), (result.masked, result.weights), strict=True
    ):
        with place:
            _matrix(trace, chosen, result, values[head].numpy(), name)


def _matrix(
    trace: Trace, chosen: MaskChoice, result: Masked, values: npt.NDArray[np.float64], name: str
) -> None:
    labels = trace.labels("query")
    title = t(f"lab.masks.{name}_title")
    matrix(
        matrix_data(
            values,
            labels,
            labels,
            title=title,
            text=words("matrix", label=t(f"lab.masks.{name}_label")),
            scale="weights" if name == "weights" else "signed",
            mask=result.mask.numpy(),
            padded=np.broadcast_to(padded_columns(chosen, len(labels)), values.shape),
            hue="w",
            row_hue="q",
            col_hue="k",
            height=HEIGHT,
            channel="masks",
        ),
        key=f"am.masks.{name}",
        on_select=partial(_clicked, chosen, len(labels)),
    )


def padded_columns(chosen: MaskChoice, tokens: int) -> npt.NDArray[np.bool_]:
    """True where a key is padding (N)."""
    return np.isin(np.arange(tokens), chosen.hidden)


def _clicked(chosen: MaskChoice, tokens: int, cell: Selection) -> None:
    """Block or open a cell; one that a rule or padding hides is only looked at."""
    rules = combine(chosen.patterns(tokens), padding(tokens, [i for i in chosen.hidden if i < tokens]))
    if rules is None or bool(rules.expand(tokens, tokens)[cell.row, cell.col]):
        masks.toggle(cell.row, cell.col)
    else:
        state.select(i=cell.row, j=cell.col)


def _knobs(tokens: int) -> None:
    load_style()
    st.caption(t("lab.masks.start"))
    with st.container(horizontal=True, gap="small", key="mask_starts"):
        for name, start in masks.starts(tokens).items():
            chosen = start == masks.current_start() and not state.lab("m_cells")
            st.button(
                t(f"lab.masks.starts.{name}"),
                key=f"am.masks.start_{name}",
                type="primary" if chosen else "secondary",
                on_click=start.choose,
            )
    left, right = st.columns(2, gap="small")
    for place, name in ((left, "window"), (right, "prefix")):
        knob = f"m_{name}"
        place.number_input(t(f"lab.masks.{name}"), step=1, **bounds(knob), **state.bind_knob(knob))
    st.caption(t("lab.masks.hint"))
    if state.lab("m_cells"):
        st.button(
            t("lab.masks.open_all"), key="am.masks.open", icon=":material/undo:", on_click=masks.open_all
        )


def _words(trace: Trace, chosen: MaskChoice, plain: Masked, result: Masked, row: int, head: int) -> None:
    labels = trace.labels("query")
    st.text(masks_words.about_mask(chosen, result.mask))
    st.text(masks_words.about_row(labels, plain, result, row, head))
    if chosen.window or chosen.prefix or chosen.blocked or chosen.closed:
        st.caption(t("lab.masks.stage"))
