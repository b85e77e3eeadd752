"""Step through: one sentence, all the way through attention, on the stage."""

from __future__ import annotations

from app import state, unlearned
from app.i18n import table
from app.learn.step_through.code import show_code
from app.session import computed
from components.stage import stage
from components.stage_data import StageView, stage_data
from models.origins import vector_origins


def show() -> None:
    now = computed()
    trace = now.trace
    assert trace.tokens is not None
    view = state.view()
    head = min(view.head, trace.heads - 1)
    unlearned.show()
    data = stage_data(
        trace,
        head=head,
        text=table("stage"),
        start=_start(),
        opening=state.visit(),
        origins=vector_origins(now.settings, trace.tokens),
    )
    stage(data, key="stage", on_view=lambda moved: state.select(step=moved.step, i=moved.i, j=moved.j))
    step = state.view().step
    show_code(trace, step if step in trace else "scores", head)  # an address may name a step of another model


def _start() -> StageView:
    """Where the stage opens: kept as it was when the page was entered, so that stepping sends no data again."""
    memory = state.scratch("stage")
    if memory.get("visit") != state.visit():
        view = state.view()
        memory.update(visit=state.visit(), start=StageView(view.step, view.i, view.j))
    start: StageView = memory["start"]
    return start
