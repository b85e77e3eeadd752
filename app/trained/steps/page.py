"""Step through one head of a trained model: the stage, on learned weights."""

from __future__ import annotations

import streamlit as st

from app import choices, state
from app.i18n import t, table
from app.notice import notice
from app.trained.facts import show_notes
from app.trained.headline import choose_head, choose_stack, open_link, title
from app.trained.opening import opened
from app.trained.stack import Stack, current_stack, labels_of
from app.trained.steps import window as steps_window
from components.stage import stage
from components.stage_data import StageView, can_show, stage_data
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
        queries, keys = labels_of(stack.call)
        long = steps_window.is_long(stack)
        with st.container(horizontal=True, vertical_alignment="center", key="choose_head"):
            choose_stack(now)
            choose_head(stack, queries if long else ())
            if long:
                _choose_key(keys)
        if long:
            _long(stack)
        else:
            _whole(stack)


def _choose_key(keys: tuple[str, ...]) -> None:
    choices.select(
        t("steps.key"),
        range(len(keys)),
        lambda j: t("steps.key_short", token=keys[j], index=j),
        state.field("model_j"),
        width=200,
        label_visibility="collapsed",
    )


def _whole(stack: Stack) -> None:
    trace = layer_trace(stack.call) or stack.call.trace(stack.head)
    if not can_show(trace):
        _cannot()
        return
    _stage(stack, trace, _start(stack), state.visit())


def _long(stack: Stack) -> None:
    """A part of a long text, around the query and the key that are chosen."""
    trace = stack.call.trace(stack.head)
    if not can_show(trace):
        _cannot()
        return
    part, start, opening = steps_window.part_of(trace, stack)
    assert part.window is not None
    shown = {"queries": len(part.window.queries), "keys": len(part.window.keys)}
    several = "part" if stack.call.kind == "self" else "part_cross"
    st.caption(t(f"steps.{several}", **shown, N=stack.call.queries, M=stack.call.keys))
    _stage(stack, part, start, opening)


def _stage(stack: Stack, trace: Trace, start: StageView, opening: int) -> None:
    text = table("stage")
    data = stage_data(trace, head=stack.head, text=text, start=start, opening=opening, layer=stack.layer)
    stage(data, key=f"model_stage_{'_'.join(stack.name)}", on_view=lambda view: _moved(trace, view))


def _moved(trace: Trace, view: StageView) -> None:
    state.select(step=view.step)
    chosen = {"i": view.i, "j": view.j}
    if trace.window is not None:
        chosen = steps_window.moved(trace, view)
        steps_window.remember(chosen)
    state.look(**chosen)


def _cannot() -> None:
    title(t("steps.cannot"))
    notice(t("steps.why"), "cannot")
    open_link("model_cell", t("trained.open_cell"), ":material/calculate:")


def _start(stack: Stack) -> StageView:
    """Where the stage opens: kept as it was when the page was entered, so that stepping sends no data again."""
    memory = state.scratch("model_stage")
    if memory.get("visit") != state.visit():
        memory.update(visit=state.visit(), start=StageView(state.view().step, stack.i, stack.j))
    start: StageView = memory["start"]
    return start
