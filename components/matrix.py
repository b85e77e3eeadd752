"""A matrix of real numbers: printed when cells are large enough, an image when they are not.

Hovering, zooming and copying happen in the browser; a click or Enter on a cell comes back as a `Selection`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.registered import component, said
from components.theme import head_palette

Hue = Literal["x", "q", "k", "v", "w"]

TEXT_KEYS = ("label", "tip", "masked", "padding", "nan", "copy", "copied", "copy_hint", "zoom_in", "zoom_out")

_HTML = """<div class="am am-matrix">
<canvas class="picture" tabindex="0" role="application"></canvas><div class="bar"></div>
<div class="tip" aria-hidden="true"></div><div class="sr live" aria-live="polite"></div>
<div class="sr"><table></table></div></div>"""

_COMPONENT = component("am_matrix", html=_HTML, css=style("matrix/matrix.css"), js=script("matrix/matrix.js"))


class Selection(NamedTuple):
    """A cell of a matrix, both indices counted from 0."""

    row: int
    col: int


@dataclass(frozen=True)
class Group:
    """`count` neighbouring rows or columns that belong together; colour −1 is the text colour, else a head's."""

    label: str
    colour: int
    count: int


def matrix_data(
    values: npt.NDArray[np.floating[Any]],
    row_labels: Sequence[str] | None,
    col_labels: Sequence[str] | None,
    *,
    title: str,
    text: Mapping[str, str],
    scale: Literal["signed", "weights"] = "signed",
    limit: float | None = None,
    mask: npt.NDArray[np.bool_] | None = None,
    padded: npt.NDArray[np.bool_] | None = None,
    subscript: str = "",
    hue: Hue = "x",
    row_hue: Hue = "x",
    col_hue: Hue = "x",
    selected: tuple[int, int] | None = None,
    row_groups: Sequence[Group] = (),
    col_groups: Sequence[Group] = (),
    height: int = 420,
    channel: str = "",
    shares: Literal["cells", "rows"] = "cells",
    head: int | None = None,
    clickable: bool = True,
) -> dict[str, Any]:
    """What the browser draws of `values` (rows × cols).

    `scale` "weights" is the sequential scale from 0 to 1 of attention weights, "signed" diverges around 0 up to
    `limit` (default: the largest size). `mask` is True where a cell may be seen; `padded` is True where a cell
    belongs to padding. Labels of None are positions counted from 0. Components on the same `channel` light up each
    other's cells, or rows alone where a matrix `shares` no more with them; those without a selection of their own
    follow the `head` and the cell of the matrix. `text` needs TEXT_KEYS; its "tip" has the
    places {row}, {col} and {value}. Cells that are not
    `clickable` can only be pointed at.

    Raises ValueError where labels, masks or groups do not fit the shape, KeyError for a missing text.
    """
    rows, cols = values.shape
    _check(rows, cols, row_labels, col_labels, mask, padded, row_groups, col_groups)
    data: dict[str, Any] = {
        "v": pa.table({"v": np.ascontiguousarray(values, dtype=np.float32).ravel()}),
        "rows": rows,
        "cols": cols,
        "row_labels": None if row_labels is None else list(row_labels),
        "col_labels": None if col_labels is None else list(col_labels),
        "scale": scale,
        "limit": limit,
        "hue": hue,
        "row_hue": row_hue,
        "col_hue": col_hue,
        "title": title,
        "subscript": subscript,
        "text": {name: text[name] for name in TEXT_KEYS},
        "selected": list(selected) if selected else None,
        "row_groups": [list(astuple(group)) for group in row_groups],
        "col_groups": [list(astuple(group)) for group in col_groups],
        "head_colours": head_palette(),
        "height": height,
        "channel": channel,
        "shares": shares,
        "head": -1 if head is None else head,
        "clickable": clickable,
    }
    if mask is not None or padded is not None:
        data["states"] = pa.table({"v": cell_states(rows, cols, mask, padded).ravel()})
    return data


def matrix(
    data: Mapping[str, Any], *, key: str, on_select: Callable[[Selection], None] | None = None
) -> None:
    """Draw what `matrix_data` made. `on_select` is called with a cell that was chosen, before the page runs again."""
    rows, cols = data["rows"], data["cols"]  # the callback outlives the page: it must not hold the matrix

    def changed() -> None:
        chosen = parse_selection(said(key, "cell"), rows, cols)
        if chosen and on_select:
            on_select(chosen)

    _COMPONENT(key=key, data=data, on_cell_change=changed)


def cell_states(
    rows: int,
    cols: int,
    mask: npt.NDArray[np.bool_] | None,
    padded: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.uint8]:
    """What each cell is: 0 a number, 1 masked, 2 padding (which wins over masked)."""
    states = np.zeros((rows, cols), dtype=np.uint8)
    if mask is not None:
        states[~mask] = 1
    if padded is not None:
        states[padded] = 2
    return states


def parse_selection(payload: object, rows: int, cols: int) -> Selection | None:
    """The cell a browser reported, or None if that is not a cell of a matrix of this shape."""
    if not isinstance(payload, Mapping):
        return None
    row, col = whole_number(payload.get("row"), rows), whole_number(payload.get("col"), cols)
    return None if row is None or col is None else Selection(row, col)


def whole_number(value: object, below: int) -> int | None:
    """`value` if it is a whole number from 0 to `below` − 1 (JavaScript may send 2.0), else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 <= value < below or value != int(value):
        return None
    return int(value)


def _check(
    rows: int,
    cols: int,
    row_labels: Sequence[str] | None,
    col_labels: Sequence[str] | None,
    mask: npt.NDArray[np.bool_] | None,
    padded: npt.NDArray[np.bool_] | None,
    row_groups: Sequence[Group],
    col_groups: Sequence[Group],
) -> None:
    for name, labels, size in (("row", row_labels, rows), ("column", col_labels, cols)):
        if labels is not None and len(labels) != size:
            raise ValueError(f"expected {size} {name} labels, received {len(labels)}")
    for name, array in (("mask", mask), ("padded", padded)):
        if array is not None and array.shape != (rows, cols):
            raise ValueError(f"expected {name} of shape {(rows, cols)}, received {array.shape}")
    for name, groups, size in (("row", row_groups, rows), ("column", col_groups, cols)):
        if groups and sum(group.count for group in groups) != size:
            raise ValueError(
                f"expected {name} groups of {size} in sum, received {sum(g.count for g in groups)}"
            )
