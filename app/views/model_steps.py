"""Step through one head of a trained model: the stage, on learned weights."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t, table
from app.notice import notice
from app.real.facts import show_notes
from app.real.headline import choose_head, choose_stack, open_link, title
from app.real.opening import opened
from app.real.stack import Stack, current_stack
from components.stage import MOST, StageView, can_show, stage
from models.pretrained.own_trace import layer_trace
from models.trace import Trace


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    show_notes(now)
    with st.container(key="model_steps", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="choose_head"):
            choose_stack(now)
            choose_head(stack)
        _stage(stack)


def _stage(stack: Stack) -> None:
    trace = _trace(stack)
    if trace is None:
        title(t("steps.cannot"))
        tokens = max(stack.call.queries, stack.call.keys)
        notice(t("steps.too_long", tokens=tokens, most=MOST) if tokens > MOST else t("steps.why"), "cannot")
        open_link("model_cell", t("real.open_cell"), ":material/calculate:")
        return
    stage(
        trace,
        head=stack.head,
        text=table("stage"),
        start=_start(stack),
        opening=state.visit(),
        key=f"model_stage_{'_'.join(stack.name)}",
        layer=stack.layer,
        on_view=_moved,
    )


def _moved(view: StageView) -> None:
    state.select(step=view.step)
    state.look(i=view.i, j=view.j)


def _trace(stack: Stack) -> Trace | None:
    """All heads of a model of our own, one head of another; None if the stage has no picture for what it does."""
    trace = layer_trace(stack.call)
    if trace is not None:
        return trace if max(stack.call.queries, stack.call.keys) <= MOST else None
    if max(stack.call.queries, stack.call.keys) > MOST:
        return None
    trace = stack.call.trace(stack.head)
    return trace if can_show(trace) else None


def _start(stack: Stack) -> StageView:
    """Where the stage opens: kept as it was when the page was entered, so that stepping sends no data again."""
    memory = state.scratch("model_stage")
    if memory.get("visit") != state.visit():
        memory.update(visit=state.visit(), start=StageView(state.view().step, stack.i, stack.j))
    start: StageView = memory["start"]
    return start
