"""Two sentences side by side: where their attention differs, and which outputs moved."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from app import state, unlearned
from app.i18n import t, words
from app.learn.compare.words import Comparison, measure, statement
from app.notice import error_notice, notice
from app.session import computed, trace_of
from app.weights import looks, weights
from components.matrix import matrix, matrix_data
from components.token_bars import token_bars, token_bars_data
from models.errors import InputError
from models.rounding import ROUNDING
from models.settings import Settings
from models.trace import Trace

HEIGHT = 230


def show() -> None:
    now = computed()
    st.title(t("compare.title"), anchor=False)
    st.text_area(t("compare.second"), height=68, **state.bind("second_text"))
    settings, left_out = without_edited_words(now.settings)
    first = trace_of(settings).trace
    try:
        second = trace_of(replace(settings, text=state.second_text())).trace
    except InputError as error:
        second = None
        if now.problem is None or state.current().second_text is not None:  # else it was said above
            error_notice(error, "second")
    if left_out:
        notice(t("compare.left_out"), "left_out")
    head = min(state.view().head, first.heads - 1)
    unlearned.show()
    _pictures(first, second, head)
    if second is not None:
        _outputs(Comparison(first, second))


def without_edited_words(settings: Settings) -> tuple[Settings, bool]:
    """Edited word vectors belong to one sentence's positions: both are computed without them."""
    edits = settings.edits.without("embedding")
    return replace(settings, edits=edits), "embedding" in settings.edits


def _pictures(first: Trace, second: Trace | None, head: int) -> None:
    comparison = Comparison(first, second) if second is not None else None
    difference = comparison is not None and comparison.same_length
    places = st.columns(3 if difference else 2, gap="small")
    with places[0]:
        _weights(first, head, "first")
    if second is not None:
        with places[1]:
            _weights(second, head, "second")
    if comparison is not None and difference:
        with places[2]:
            _difference(comparison, head)


def _weights(trace: Trace, head: int, which: str) -> None:
    title = t(f"compare.{which}_title", head=head)
    weights(trace, head, title=title, key=f"am.compare.{which}", height=HEIGHT, channel="compare")


def _difference(comparison: Comparison, head: int) -> None:
    first, second = comparison.first, comparison.second
    labels = second.labels("query")  # short, so that the three pictures line up
    title = t("compare.difference_title")
    difference = second["weights"].value[head] - first["weights"].value[head]
    matrix(
        matrix_data(
            difference.numpy(),
            labels,
            labels,
            title=title,
            text=words("matrix", label=title),
            limit=max(float(difference.abs().max()), ROUNDING[torch.float32]),
            **looks(first),
            hue="x",
            row_hue="q",
            col_hue="k",
            height=HEIGHT,
            channel="compare",
            clickable=False,
        ),
        key="am.compare.difference",
    )


def _outputs(comparison: Comparison) -> None:
    st.subheader(t("compare.outputs"), anchor=False)
    st.text(statement(comparison))
    token_bars(
        token_bars_data(comparison.moved, comparison.names, label=t("compare.outputs")),
        key="am.compare.moved",
    )
    st.caption(measure(comparison))
