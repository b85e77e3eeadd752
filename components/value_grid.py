"""All heads as coloured cells: one number each on one scale, or the group that each belongs to."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said

TEXT_KEYS = ("label", "low", "high", "even", "unmeasured", "none")

_HTML = """<div class="am am-value-grid">
<canvas class="picture" tabindex="0" role="application"></canvas><div class="bar"></div>
<div class="tip" aria-hidden="true"></div><div class="sr live" aria-live="polite"></div></div>"""

_COMPONENT = component(
    "am_value_grid", html=_HTML, css=style("value_grid/value_grid.css"), js=script("value_grid/value_grid.js")
)


class Group(NamedTuple):
    """What several heads have in common: a name, a sign of one character, a colour for the light and the dark page."""

    name: str
    sign: str
    light: str
    dark: str


class Cell(NamedTuple):
    """One head: its name ("" for one that a layer does not have), its value (NaN: not measured), the number that is
    written, what is said when it is pointed at, and its group (−1: none)."""

    name: str
    value: float
    label: str
    tip: str
    group: int = -1


def value_grid_data(
    cells: Sequence[Cell],
    *,
    columns: int,
    row_names: Sequence[str],
    column_names: Sequence[str],
    text: Mapping[str, str],
    selected: int,
    top: float = 1.0,
    even: float | None = None,
    groups: Sequence[Group] = (),
    height: int = 540,
) -> dict[str, Any]:
    """What the browser draws of the cells (layers × heads, row by row, `columns` in a row).

    Without `groups`, the colour is value ÷ `top` on a scale whose ends are the texts "low" and "high", and `even` is
    marked on it. With `groups`, the colour is the group's, stronger towards a value of 1, and pointing at a group's
    name shows its members alone. Many rows fold into blocks beside each other. Raises KeyError for a missing text.
    """
    if len(cells) % columns:
        raise ValueError(f"expected rows of {columns} cells, received {len(cells)} cells")
    scale = top if top > 0 else 1.0
    return {
        "v": pa.table({"v": np.array([cell.value for cell in cells], dtype=np.float32)}),
        "names": [cell.name for cell in cells],
        "labels": [cell.label for cell in cells],
        "tips": [cell.tip for cell in cells],
        "members": [cell.group for cell in cells],
        "groups": [group._asdict() for group in groups],
        "columns": columns,
        "row_names": list(row_names),
        "column_names": list(column_names),
        "text": {name: text[name] for name in TEXT_KEYS},
        "selected": selected,
        "top": scale,
        "even": None if even is None or not math.isfinite(even) else even / scale,
        "height": height,
    }


def value_grid(data: Mapping[str, Any], *, key: str, on_select: Callable[[int], None] | None = None) -> None:
    """Draw what `value_grid_data` made. `on_select` is called with the place of a chosen cell."""
    count = len(data["names"])

    def changed() -> None:
        chosen = whole_number(said(key, "head"), count)
        if chosen is not None and on_select:
            on_select(chosen)

    _COMPONENT(key=key, data=data, on_head_change=changed)
