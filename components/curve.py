"""What happened while a model was trained: loss, accuracy and gradients over the steps; snapshots to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.registered import component, said

Hue = Literal["x", "q", "k", "v", "w", "pos"]

TEXT_KEYS = ("label", "hint", "step", "nothing")

_HTML = """<div class="am am-curve"><div class="legend"></div><canvas tabindex="0" role="slider"></canvas>
<div class="readout"></div></div>"""

_COMPONENT = component("am_curve", html=_HTML, css=style("curve/curve.css"), js=script("curve/curve.js"))


@dataclass(frozen=True)
class Line:
    """One line: its `name` in the legend, a value per step (NaN where it was not measured), and its hue.

    A `share` lies between 0 and 1 and is written in percent. `log` draws by powers of ten; all lines of a panel agree.
    """

    name: str
    values: Sequence[float] | npt.NDArray[np.floating[Any]]
    hue: Hue = "x"
    share: bool = False
    log: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Level:
    """A dashed line across a panel: what guessing gives, what is aimed at."""

    name: str
    value: float


@dataclass(frozen=True)
class CurvePanel:
    """One chart; several stand below each other over the same steps."""

    title: str
    lines: Sequence[Line]
    levels: Sequence[Level] = ()
    weight: float = 1.0


def curve_data(
    steps: Sequence[int],
    panels: Sequence[CurvePanel],
    *,
    snapshots: Sequence[int],
    chosen: int,
    text: Mapping[str, str],
    height: int = 280,
    last: int | None = None,
) -> dict[str, Any]:
    """What the browser draws of the panels over `steps` (rising).

    `snapshots` are steps that can be opened, `chosen` the one that is; `last` is the step at which the axis ends.
    Raises ValueError where a line has another number of values than there are steps.
    """
    for line in (line for panel in panels for line in panel.lines):
        if len(line.values) != len(steps):
            raise ValueError(f"{line.name}: {len(steps)} values were expected, received {len(line.values)}")
    lines = [line for panel in panels for line in panel.lines]
    data: dict[str, Any] = {
        "steps": pa.table({"v": np.asarray(steps, dtype=np.float32)}),
        **{
            f"line{n}": pa.table({"v": np.asarray(line.values, dtype=np.float32)})
            for n, line in enumerate(lines)
        },
        "panels": [_panel(panel, lines) for panel in panels],
        "snapshots": list(snapshots),
        "chosen": chosen,
        "last": max([1, *steps[-1:]]) if last is None else last,
        "height": height,
        "text": {name: text[name] for name in TEXT_KEYS},
    }
    return data


def curve(data: Mapping[str, Any], *, key: str, on_choose: Callable[[int], None] | None = None) -> None:
    """Draw what `curve_data` made. `on_choose` is called with a snapshot's step when another is chosen by click, drag
    or arrow key."""
    snapshots = tuple(data["snapshots"])

    def changed() -> None:
        step = parse_step(said(key, "step"), snapshots)
        if step is not None and on_choose:
            on_choose(step)

    _COMPONENT(key=key, data=data, on_step_change=changed)


def parse_step(payload: object, snapshots: Sequence[int]) -> int | None:
    """The step that a browser reported, or None if there is no snapshot of it (any more)."""
    return payload if type(payload) is int and payload in snapshots else None


def _panel(panel: CurvePanel, lines: Sequence[Line]) -> dict[str, Any]:
    return {
        "title": panel.title,
        "weight": panel.weight,
        "levels": [[level.name, level.value] for level in panel.levels],
        "lines": [
            {
                "column": f"line{next(n for n, other in enumerate(lines) if other is line)}",
                "name": line.name,
                "hue": line.hue,
                "share": line.share,
                "log": line.log,
                "dashed": line.dashed,
            }
            for line in panel.lines
        ],
    }
