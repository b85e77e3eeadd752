"""One query and one key of a real model's head, with all the numbers between them and the output."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import state
from app.i18n import t, table
from app.real.facts import show_notes
from app.real.headline import choose_head, choose_stack
from app.real.opening import opened
from app.real.stack import current_stack, labels_of
from components.cell import cell_detail
from models.cell import cell_of


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_cell", gap="small"):
        choose_stack(now)
        queries, keys = labels_of(stack.call)
        choose_head(stack, queries)
        _title(queries[stack.i], keys[stack.j])
        trace = stack.call.trace(stack.head)
        cell_detail(
            cell_of(trace, 0, stack.i, stack.j),
            keys,
            query_label=queries[stack.i],
            scale=trace.scale,
            text=table("components")["cell"],
            key="model_cell_detail",
            on_key=lambda j: state.look(j=j),
        )
        for note in stack.call.notes:
            st.caption(t("real.note"))
            st.text(note)


def _title(query: str, key: str) -> None:
    """Which query looks at which key."""
    words = t(
        "real.cell_title",
        query=f'<span class="am-q">{escape(query)}</span>',
        at=f'<span class="am-k">{escape(key)}</span>',
    )
    st.html(f"<h1>{words}</h1>")
