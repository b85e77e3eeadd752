"""The stage: one head's whole trace in one component, stepped through and opened cell by cell in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from components.bundle import FRONTEND, script, style
from components.registered import component, said
from components.stage_data import StageView

_COMPONENT = component(
    "am_stage",
    html=(FRONTEND / "stage/stage.html").read_text("utf-8"),
    css=style("stage/stage.css", "detail/detail.css"),
    js=script("stage/stage.js"),
)


def stage(data: Mapping[str, Any], *, key: str, on_view: Callable[[StageView], None]) -> None:
    """Draw what `components.stage_data.stage_data` made. `on_view` is called with the step and the cell when they have
    come to rest, before the page runs again: also if that run is one of another page, which the user has gone to."""
    steps = tuple(data["meta"]["steps"])

    def changed() -> None:
        view = parse_view(said(key, "view"), steps)
        if view is not None:
            on_view(view)

    _COMPONENT(key=key, data=data, on_view_change=changed)


def parse_view(value: object, steps: Sequence[str]) -> StageView | None:
    """A view that came from the browser, or None if it is none of these steps."""
    if not isinstance(value, Mapping):
        return None
    step, i, j = value.get("step"), value.get("i"), value.get("j")
    if step not in steps or type(i) is not int or type(j) is not int or min(i, j) < 0:
        return None
    return StageView(str(step), i, j)
