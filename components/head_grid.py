"""All heads' weights as small pictures on one colour scale; one of them can be chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said
from components.theme import head_palette

TEXT_KEYS = ("label", "one_scale", "even", "strongest", "nothing", "masked", "padding", "nan", "pooled")

MASKED, PADDED, ZERO, LOW, HIGH, NOT_A_NUMBER = 0, 1, 2, 3, 254, 255
EVEN_TINT = 0.16  # the share of the scale that even attention 1/N gets, at every N

_HTML = """<div class="am am-head-grid">
<canvas class="picture" tabindex="0" role="application"></canvas><div class="bar"></div>
<div class="tip" aria-hidden="true"></div><div class="sr live" aria-live="polite"></div></div>"""

_COMPONENT = component(
    "am_head_grid", html=_HTML, css=style("head_grid/head_grid.css"), js=script("head_grid/head_grid.js")
)


class Link(NamedTuple):
    """The strongest weight of a head: query row, key column and weight."""

    row: int
    col: int
    weight: float


def gamma(keys: int) -> float:
    """Exponent of the colour scale w^γ that gives even attention 1/N the same tint at every N (as `evenTint`)."""
    return min(1.0, max(0.25, math.log(EVEN_TINT) / math.log(1 / keys))) if keys > 1 else 1.0


def encode_heads(
    weights: npt.NDArray[np.floating[Any]],
    mask: npt.NDArray[np.bool_] | None = None,
    padded: npt.NDArray[np.bool_] | None = None,
    side: int = 64,
    keys: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Weights H × N × M as one byte per cell, pooled to at most `side` × `side` cells per head.

    0 is masked, 1 padding, 2 an exact zero, 3 … 254 are w^γ, 255 is not a number. A block shows its largest cell: with
    means, a diagonal of 500 tokens would fade from 0.96 to 0.06. `mask` (N × M or H × N × M) is True where a key may be
    seen, `padded` (N × M) where a cell belongs to padding; `keys` is their number if `weights` are pooled already.
    """
    tints = np.clip(weights, 0.0, 1.0).astype(np.float32) ** np.float32(gamma(keys or weights.shape[-1]))
    invalid = np.isnan(tints)
    codes: npt.NDArray[np.uint8] = np.rint(LOW + np.where(invalid, 0, tints) * (HIGH - LOW)).astype(np.uint8)
    codes[weights == 0] = ZERO
    codes[invalid] = NOT_A_NUMBER
    if mask is not None:
        codes[~np.broadcast_to(mask, codes.shape)] = MASKED
    if padded is not None:
        codes[np.broadcast_to(padded, codes.shape)] = PADDED
    for axis, size in ((1, weights.shape[1]), (2, weights.shape[2])):
        if size > side:
            starts = np.arange(side) * size // side
            codes = np.asarray(np.maximum.reduceat(codes, starts, axis=axis), dtype=np.uint8)
    return codes


def strongest_links(weights: npt.NDArray[np.floating[Any]]) -> list[Link | None]:
    """Each head's largest weight; None for a head without a positive one."""
    heads, _, keys = weights.shape
    flat = np.nan_to_num(weights.reshape(heads, -1), nan=0.0)
    best = flat.argmax(axis=1)
    return [
        Link(int(at) // keys, int(at) % keys, float(flat[head, at])) if flat[head, at] > 0 else None
        for head, at in enumerate(best)
    ]


def head_grid_data(
    codes: npt.NDArray[np.uint8],
    names: Sequence[str],
    *,
    keys: int,
    strongest: Sequence[Link | None],
    row_tokens: Sequence[str],
    col_tokens: Sequence[str],
    text: Mapping[str, str],
    selected: int | None = None,
    columns: int = 0,
    row_names: Sequence[str] | None = None,
    column_names: Sequence[str] | None = None,
    height: int = 150,
    channel: str = "",
    shades: Sequence[float] | None = None,
) -> dict[str, Any]:
    """What the browser draws of the pictures of `encode_heads` (count × rows × cols).

    `keys` is the number of keys before pooling. With `columns` the pictures form a table with `row_names` and
    `column_names` (layers × heads; an empty name is a head that a layer does not have), whose layers fold into blocks
    beside each other where that makes them larger; without, they fold to fit `height` pixels. `shades` from 0 (pale)
    to 1 make some heads stand out. Pointing at a head announces it on
    `channel`. With `selected` None the head that a matrix on the channel shows is marked, and choosing another one
    does not send the pictures again. Raises ValueError where names and pictures differ in number, KeyError for a
    missing text.
    """
    count, rows, cols = codes.shape
    if not count == len(names) == len(strongest):
        raise ValueError(f"expected {count} names and links, received {len(names)} and {len(strongest)}")
    return {
        "v": pa.table({"v": np.ascontiguousarray(codes).ravel()}),
        "rows": rows,
        "cols": cols,
        "keys": keys,
        "names": list(names),
        "strongest": [list(link) if link else None for link in strongest],
        "row_tokens": list(row_tokens),
        "col_tokens": list(col_tokens),
        "text": {name: text[name] for name in TEXT_KEYS},
        "selected": selected,
        "columns": columns,
        "row_names": list(row_names) if row_names else None,
        "column_names": list(column_names) if column_names else None,
        "head_colours": head_palette(),
        "height": height,
        "channel": channel,
        "shades": None if shades is None else [float(shade) for shade in shades],
    }


def head_grid(data: Mapping[str, Any], *, key: str, on_select: Callable[[int], None] | None = None) -> None:
    """Draw what `head_grid_data` made. `on_select` is called with the place of a chosen picture."""
    count = len(data["names"])

    def changed() -> None:
        chosen = whole_number(said(key, "head"), count)
        if chosen is not None and on_select:
            on_select(chosen)

    _COMPONENT(key=key, data=data, on_head_change=changed)
