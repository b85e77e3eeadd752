"""The stage: one head's whole trace in one component, stepped through and opened cell by cell in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from components.bundle import FRONTEND, script, style
from components.registered import component, said
from components.stage_data import StageView, stage_data, stage_steps
from models.trace import Trace

_COMPONENT = component(
    "am_stage",
    html=(FRONTEND / "stage/stage.html").read_text("utf-8"),
    css=style("stage/stage.css", "detail/detail.css"),
    js=script("stage/stage.js"),
)


def stage(
    trace: Trace,
    *,
    head: int,
    text: Mapping[str, Any],
    start: StageView,
    key: str,
    layer: int | None = None,
    origins: Sequence[str] | None = None,
    opening: int = 0,
    on_view: Callable[[StageView], None],
) -> None:
    """Draw one head of `trace`. `on_view` is called with the step and the cell when they have come to rest, before the
    page runs again: also if that run is one of another page, which the user has gone to.

    `text` is the locale's table of the stage. `origins` says for each token where its vector comes from ("drawn",
    "worked", "edited", see models.origins); None: from a learned table. `layer` is the number of the layer if its
    input comes from the layers below and not straight from a sentence. `start` is where it opens; keep it
    constant while the stage is on the page, so that only changed numbers travel; with another number `opening` the
    stage goes there once more.
    """
    data = stage_data(trace, head=head, text=text, start=start, layer=layer, origins=origins)
    data["meta"]["start"]["opening"] = opening

    def changed() -> None:
        view = parse_view(said(key, "view"), trace)
        if view is not None:
            on_view(view)

    _COMPONENT(key=key, data=data, on_view_change=changed)


def parse_view(value: object, trace: Trace) -> StageView | None:
    """A view that came from the browser, or None if it is not one."""
    if not isinstance(value, Mapping):
        return None
    step, i, j = value.get("step"), value.get("i"), value.get("j")
    if step not in stage_steps(trace) or type(i) is not int or type(j) is not int or min(i, j) < 0:
        return None
    return StageView(str(step), i, j)
