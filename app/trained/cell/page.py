"""One query and one key of a trained model's head, with all the numbers between them and the output."""

from __future__ import annotations

import streamlit as st

from app import navigation, state
from app.i18n import t, table
from app.trained.facts import show_notes
from app.trained.headline import choose_head, choose_stack, open_link, spoken, title
from app.trained.kept import Kept
from app.trained.notes import show_head_notes
from app.trained.opening import Opened, opened
from app.trained.stack import Stack, current_stack, labels_of
from components.cell import cell_detail, cell_detail_data
from models.cell import cell_of
from models.pretrained.call.notes import recomputed_difference
from models.trace import Trace

HEADS_KEPT = 3  # each up to 30 MB at 1,024 tokens


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_cell", gap="small"):
        queries, keys = labels_of(stack.call)
        _title(queries[stack.i], keys[stack.j])
        with st.container(horizontal=True, vertical_alignment="center", key="choose_head"):
            choose_stack(now)
            choose_head(stack, queries)
        trace, difference = _head(now, stack)
        _numbers(trace, stack, queries[stack.i], keys)
        show_head_notes(stack.call, stack.head, difference)


def _title(query: str, key: str) -> None:
    """Which query looks at which key."""
    name, link = st.columns([4.6, 1])
    asks, at = f'<span class="am-q">{spoken(query)}</span>', f'<span class="am-k">{spoken(key)}</span>'
    with name:
        title(t("trained.cell_title", query=asks, at=at))
    with link, st.container(gap=None):
        open_link("model_head", t("trained.back_to_head"), ":material/hub:")
        open_link("model_cause", t("trained.open_cause"), navigation.entry("model_cause").icon)


def _head(now: Opened, stack: Stack) -> tuple[Trace, float]:
    """All steps of the head, and how far they are from the model's own numbers: half a second at 1,024 tokens."""

    def make() -> tuple[Trace, float]:
        return stack.call.trace(stack.head), recomputed_difference(stack.call)

    return _kept().get((now.key, stack.name, stack.layer, stack.head), make)


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[tuple[Trace, float]]:
    return Kept(HEADS_KEPT)


def _numbers(trace: Trace, stack: Stack, query: str, keys: tuple[str, ...]) -> None:
    if "scores" not in trace:
        weight = float(trace["weights"].value[0, stack.i, stack.j])
        st.html(f"<p>{t('trained.only_weight', weight=f'{weight:.4f}')}</p>")
        return
    cell_detail(
        cell_detail_data(
            cell_of(trace, 0, stack.i, stack.j),
            keys,
            query_label=query,
            scale=trace.scale,
            text=table("components")["cell"],
        ),
        key="model_cell_detail",
        on_key=lambda j: state.look(j=j),
    )
