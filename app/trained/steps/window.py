"""Which part of a long text is on the stage of a trained model, and what is chosen there, in places of the whole text.

A window stays where it is while one moves in it. It goes to another place when the query or the key is chosen outside
of the stage, and when the page is entered again.
"""

from __future__ import annotations

from typing import Any

from app import state
from app.trained.stack import Stack
from components.stage_data import StageView
from models.trace import Trace
from models.window import around, window

WHOLE = 256  # queries or keys; more would be too small to be told apart
SHOWN = 32  # of a longer text: as many as can be printed


def is_long(stack: Stack) -> bool:
    """Whether the text is too long to be shown whole."""
    return max(stack.call.queries, stack.call.keys) > WHOLE


def part_of(trace: Trace, stack: Stack) -> tuple[Trace, StageView, int]:
    """What is shown of a long trace: the window, where the stage opens in it, and the number of this opening."""
    memory = _memory(stack)
    i, j = memory["centre"]
    if stack.call.kind == "self":  # rows and columns are the same tokens, and made from the same rows of X
        queries = keys = around((i, j), SHOWN, stack.call.queries)
    else:
        queries, keys = (
            around((i,), SHOWN, stack.call.queries),
            around((j,), SHOWN, stack.call.keys),
        )
    return (
        window(trace, queries, keys),
        StageView(memory["step"], queries.index(i), keys.index(j)),
        memory["opening"],
    )


def moved(trace: Trace, view: StageView) -> dict[str, int]:
    """The query and the key that a view of a window names, in places of the text: {"i": …, "j": …}, or less where a row
    or column is none of them."""
    assert trace.window is not None
    axes = [axis for axis in trace[view.step].axes if axis != "head"]
    places = {"query": trace.window.queries, "token": trace.window.queries, "key": trace.window.keys}
    names = {"query": "i", "token": "i", "key": "j"}
    return {
        names[axis]: places[axis][at]
        for axis, at in zip(axes, (view.i, view.j), strict=False)
        if axis in places and at < len(places[axis])
    }


def remember(chosen: dict[str, int]) -> None:
    """What was chosen on the stage is no reason for the window to go elsewhere."""
    state.scratch("steps_window").setdefault("chosen", {}).update(chosen)


def _memory(stack: Stack) -> dict[str, Any]:
    memory = state.scratch("steps_window")
    at, here = {"i": stack.i, "j": stack.j}, (state.visit(), stack.name)
    if memory.get("here") != here or memory.get("chosen") != at:
        memory.update(
            here=here,
            chosen=at,
            centre=(stack.i, stack.j),
            step=state.view().step,
            opening=memory.get("opening", 0) + 1,
        )
    return memory
