"""The weights of the chosen head, on what the heads are measured on: this text, or the first text of a sample."""

from __future__ import annotations

from html import escape
from weakref import WeakKeyDictionary

import streamlit as st

from app.i18n import t, words
from app.trained.axes import axes_of
from app.trained.head_matrix import show_head_matrix
from app.trained.opening import Opened
from app.trained.roles.roles import TEXT, Roles
from app.trained.shown import shown_weights
from app.trained.stack import Stack, labels_of
from components.matrix import matrix, matrix_data
from models.pretrained import AttentionCall, Model, ModelTrace

HEIGHT = 236  # pixels

# the trace of the text last looked at; it goes when the model goes
_traces: WeakKeyDictionary[Model, tuple[str, ModelTrace]] = WeakKeyDictionary()


def show_matrix(now: Opened, stack: Stack, roles: Roles) -> None:
    """Draw it. On this text, a click on a cell looks at it."""
    call = None if roles.on == TEXT or not roles.texts else _call_of_sample(now.model, roles.texts[0], stack)
    if call is not None:
        st.html(f'<p class="am-small">{escape(t("roles.matrix_of_sample"))}</p>')
        _plain(call, stack.head)
        return
    rows, cols = axes_of(now, stack)
    weights = shown_weights(stack.call.weights(stack.head), rows, cols)
    show_head_matrix(
        weights, stack, rows, cols, key="roles_matrix", height=HEIGHT, channel="", head=stack.head
    )


def _plain(call: AttentionCall, head: int) -> None:
    rows, cols = labels_of(call)
    visible = call.visible(head)
    matrix(
        matrix_data(
            call.weights(head).numpy(),
            rows,
            cols,
            title=t("trained.weights"),
            text=words("matrix", label=t("trained.weights_label"), tip="{row} → {col}   {value}"),
            scale="weights",
            mask=None if visible is None else visible.numpy(),
            hue="w",
            row_hue="q",
            col_hue="k",
            height=HEIGHT,
            clickable=False,
        ),
        key="roles_matrix_sample",
    )


def _call_of_sample(model: Model, text: str, stack: Stack) -> AttentionCall | None:
    """The same layer on a sample's text; None if it did not run there."""
    kept = _traces.get(model)
    if kept is None or kept[0] != text:
        kept = _traces[model] = (text, model.trace(text))
    wanted = (*stack.name, stack.layer)
    calls = (call for call in kept[1].calls if (call.stream, call.kind, call.layer) == wanted)
    return next(calls, None)
