"""What does each head look at? All heads' weights, one enlarged, the links, and how the heads are put together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from app import state, unlearned
from app.i18n import t, table
from app.learn.heads.numbers import head_contributions
from app.learn.heads.sizes import notation, show_sizes
from app.session import current_trace
from components.head_grid import encode_heads, head_grid, head_grid_data, strongest_links
from components.matrix import Group, Selection, matrix, matrix_data
from components.token_links import Pick, token_links, token_links_data
from models.trace import Trace

CHANNEL = "heads"  # components of this page that point at the same tokens
PICTURE = 440  # pixels: with the band above, everything that is hovered fits a laptop's screen
ALL_LINKS = 100  # heads × tokens: above it the picture of links starts with the chosen head alone
GRID_SIDE = 64  # cells per side of a small picture; more are pooled

Floats = npt.NDArray[np.floating[Any]]


def show() -> None:
    """Draw the page for the session's settings."""
    trace = current_trace()
    head = min(state.view().head, trace.heads - 1)
    query = min(state.view().i, len(trace.labels("query")) - 1)
    key = min(state.view().j, len(trace.labels("key")) - 1)
    st.html(Path(__file__).with_name("heads.css"))
    with st.container(key="heads", gap="small"):
        _overview(trace)
        unlearned.show()
        _enlarged(trace, head, (query, key))
        _together(trace, query)
        st.html('<div class="am-section"></div>')
        show_sizes(trace)


def _overview(trace: Trace) -> None:
    words, pictures = st.columns([1, 1.62], gap="large", vertical_alignment="center")
    with words:
        lead = notation(
            "heads.lead" if trace.heads > 1 else "heads.lead_one", heads=trace.heads, d_k=trace.d_k
        )
        st.html(f'<h1>{notation("heads.title")}</h1><p class="am-lead">{lead}</p>')
    weights = _array(trace, "weights")
    keys = weights.shape[-1]
    pooled = t("components.head_grid.pooled", tokens=keys, side=GRID_SIDE) if keys > GRID_SIDE else ""
    with pictures:
        head_grid(
            head_grid_data(
                encode_heads(weights, _visible(trace), _padded(trace), GRID_SIDE),
                _head_names(trace),
                keys=keys,
                strongest=strongest_links(weights),
                row_tokens=trace.labels("query"),
                col_tokens=trace.labels("key"),
                text=_words("head_grid", even=t("components.head_grid.even", keys=keys), pooled=pooled),
                height=144,
                channel=CHANNEL,
            ),
            key="heads_grid",
            on_select=lambda chosen: state.select(head=chosen),
        )


def _enlarged(trace: Trace, head: int, cell: tuple[int, int]) -> None:
    left, right = st.columns([1.12, 1], gap="medium")
    mask = _visible(trace)
    with left:
        matrix(
            matrix_data(
                _array(trace, "weights")[head],
                trace.labels("query"),
                trace.labels("key"),
                title=t("heads.weights", number=head),
                text=_words(
                    "matrix", label=t("heads.weights_label", number=head), tip="{row} → {col}   {value}"
                ),
                scale="weights",
                mask=mask if mask is None or mask.ndim == 2 else mask[head],
                padded=_padded(trace),
                hue="w",
                row_hue="q",
                col_hue="k",
                selected=cell,
                height=PICTURE,
                channel=CHANNEL,
                head=head,
            ),
            key="heads_weights",
            on_select=_select_cell,
        )
    with right:
        token_links(
            token_links_data(
                _array(trace, "weights"),
                trace.labels("query"),
                trace.labels("key"),
                names=_head_names(trace),
                text=_words("token_links"),
                only_active=trace.heads * len(trace.labels("query")) > ALL_LINKS,
                padded=_padded_keys(trace),
                height=PICTURE - 40,
                channel=CHANNEL,
            ),
            key="heads_links",
            on_pick=_select_token,
        )


def _together(trace: Trace, token: int) -> None:
    """The heads side by side, W_O cut into one block of rows per head, and what every block adds to one token."""
    sizes = {
        "heads": trace.heads,
        "d_v": trace.d_v,
        "width": trace.heads * trace.d_v,
        "d_model": trace.d_model,
    }
    words = notation("heads.together.text" if trace.heads > 1 else "heads.together.text_one", **sizes)
    st.html(f'<div class="am-section"><h2>{notation("heads.together.title")}</h2><p>{words}</p></div>')
    left, right = st.columns(2, gap="medium")
    groups = [Group(name, head, trace.d_v) for head, name in enumerate(_head_names(trace))]
    with left:
        matrix(
            matrix_data(
                _array(trace, "concat"),
                trace.labels("query"),
                None,
                title=t("heads.together.concat"),
                text=_words(
                    "matrix", label=t("heads.together.concat_label", **sizes), tip="{row} · {col}   {value}"
                ),
                selected=(token, -1),
                col_groups=groups,
                height=330,
                channel=CHANNEL,
                shares="rows",
            ),
            key="heads_concat",
            on_select=lambda cell: state.select(i=cell.row),
        )
    with right:
        matrix(
            matrix_data(
                trace.parameters["w_o"].numpy(force=True),
                None,
                None,
                title="W",
                subscript="O",
                text=_words(
                    "matrix", label=t("heads.together.w_o_label", **sizes), tip="{row}, {col}   {value}"
                ),
                row_groups=groups,
                height=330,
                clickable=False,
            ),
            key="heads_w_o",
        )
    _contributions(trace, token)


def _contributions(trace: Trace, token: int) -> None:
    """One row per head, z_h · W_O[h], above their sum: the token's row of the output."""
    parts = head_contributions(trace, token).numpy(force=True)
    output = _array(trace, "output")[token : token + 1]
    names = _head_names(trace)
    label = trace.labels("query")[token]
    matrix(
        matrix_data(
            np.concatenate([parts, output]),
            [*names, t("heads.together.sum")],
            None,
            title=t("heads.together.parts", token=label),
            text=_words(
                "matrix", label=t("heads.together.parts_label", token=label), tip="{row} · {col}   {value}"
            ),
            row_groups=[*(Group(name, head, 1) for head, name in enumerate(names)), Group("", -1, 1)],
            height=64 + 30 * (len(names) + 1),
            clickable=False,
        ),
        key="heads_parts",
    )


def _select_cell(cell: Selection) -> None:
    state.select(i=cell.row, j=cell.col)


def _select_token(token: Pick) -> None:
    state.select(**{"i" if token.side == "query" else "j": token.index})  # type: ignore[arg-type]


def _array(trace: Trace, step: str) -> Floats:
    array: Floats = trace[step].value.numpy(force=True)
    return array


def _visible(trace: Trace) -> npt.NDArray[np.bool_] | None:
    if trace.mask is None:
        return None
    grid = trace["weights"].value.shape[-2:]
    mask: npt.NDArray[np.bool_] = trace.mask.numpy(force=True)
    return np.broadcast_to(mask, (*mask.shape[:-2], *grid))


def _padded_keys(trace: Trace) -> list[int]:
    return [] if trace.padded is None else [int(i) for i in trace.padded.nonzero().flatten()]


def _padded(trace: Trace) -> npt.NDArray[np.bool_] | None:
    if trace.padded is None:
        return None
    shape = tuple(trace["weights"].value.shape[-2:])
    return np.broadcast_to(trace.padded.numpy(force=True), shape)


def _head_names(trace: Trace) -> list[str]:
    return [t("components.head", number=head) for head in range(trace.heads)]


def _words(component: str, **more: str) -> Mapping[str, str]:
    return {**table("components")[component], **more}
