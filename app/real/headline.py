"""What stands above the pictures of a real model: title, the stacks to choose from, the head that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app import state
from app.i18n import t
from app.real.opening import Opened
from app.real.stack import Stack, stacks_of


def title(key: str, **values: object) -> None:
    """A page's title and lead (texts `key`.title and `key`.lead); values are escaped."""
    shown = {name: escape(str(value)) for name, value in values.items()}
    lead = t(f"{key}.lead", **shown)
    st.html(f'<h1>{t(f"{key}.title", **shown)}</h1><p class="am-lead">{lead}</p>')


def choose_stack(now: Opened) -> None:
    """A switch between encoder, decoder and cross-attention, where the model has more than one."""
    names = stacks_of(now.trace)
    if len(names) > 1:
        st.segmented_control(
            t("real.stack"),
            names,
            format_func=lambda name: t(f"real.stack_{name[0]}_{name[1]}"),
            required=True,
            label_visibility="collapsed",
            **state.bind("model_stack"),
        )


def choose_head(stack: Stack, queries: Sequence[str] = ()) -> None:
    """Layer and head side by side, and with `queries` the query as well."""
    widths = [1, 1.6, 7] if queries else [1, 7]
    columns = st.columns(widths, gap="small", vertical_alignment="bottom")
    columns[0].selectbox(
        t("real.layer"), range(len(stack.calls)), format_func=lambda n: f"L{n}", **state.bind("model_layer")
    )
    if queries:
        columns[1].selectbox(
            t("real.query"),
            range(len(queries)),
            format_func=lambda i: f"{i}  {queries[i]}",
            **state.bind("model_i"),
        )
    columns[-1].segmented_control(
        t("real.head"),
        range(stack.call.heads),
        format_func=lambda n: f"H{n}",
        required=True,
        **state.bind("model_head"),
    )
