"""One query and one key of one head, from their vectors to what reaches the output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from torch import Tensor

from components.bundle import FRONTEND, script, style
from components.matrix import whole_number
from components.phrase import fill
from components.registered import component, said
from components.theme import num
from models.cell import Cell

TEXT_KEYS = (
    "dimensions", "largest_first", "query", "key", "query_before", "key_before", "before", "product", "row", "keys_key",
    "keys_score", "keys_exponential", "keys_weight", "keys_cut", "sink", "value", "names_value", "times_weight",
    "times_gate", "all_keys", "hidden",
)  # fmt: skip

_COMPONENT = component(
    "am_cell",
    html=(FRONTEND / "cell/cell.html").read_text("utf-8"),
    css=style("cell/cell.css"),
    js=script("cell/cell.js"),
)


def cell_detail_data(
    cell: Cell,
    keys: Sequence[str],
    *,
    query_label: str,
    scale: float,
    text: Mapping[str, str],
) -> dict[str, Any]:
    """What the browser draws of the cell.

    `keys` are the labels of all keys, `scale` what scores are multiplied with, `text` the locale's table.
    """
    return {"meta": _meta(cell, keys, query_label, scale, text), **_columns(cell)}


def cell_detail(data: Mapping[str, Any], *, key: str, on_key: Callable[[int], None]) -> None:
    """Draw what `cell_detail_data` made. `on_key` is called with the index of another key that was clicked."""
    count = len(data["meta"]["keys"])

    def changed() -> None:
        chosen = whole_number(said(key, "key"), count)
        if chosen is not None:
            on_key(chosen)

    _COMPONENT(key=key, data=data, on_key_change=changed)


def _columns(cell: Cell) -> dict[str, pa.Table]:
    vectors: dict[str, Tensor | None] = {
        name: getattr(cell, name)
        for name in (
            "query", "key", "query_before", "key_before", "value", "gate", "written", "masked", "exponentials",
            "weights", "added_by_key", "added_by_head",
        )
    }  # fmt: skip
    return {
        name: pa.table({"v": np.ascontiguousarray(vector.float().numpy())})
        for name, vector in vectors.items()
        if vector is not None
    }


def _meta(
    cell: Cell, keys: Sequence[str], query_label: str, scale: float, text: Mapping[str, str]
) -> dict[str, Any]:
    def filled(name: str, **values: object) -> str:
        return fill(text[name], values)

    row_note = "row_note_sink" if cell.sink > 0 else "row_note"
    if not math.isfinite(cell.total):
        row_note = "row_note_not_finite"
    known = cell.added_by_key is not None and cell.added_by_head is not None
    return {
        "keys": list(keys),
        "j": cell.j,
        "weight": cell.weight,
        "sink": cell.sink,
        "total": cell.total,
        "flow": flow(cell, scale, text),
        "dimensions_note": " · ".join([text["dimensions_note"], *changes(cell, text)]),
        "row_note": filled(row_note, token=query_label, total=num(cell.total, 3)),
        "value_note": filled("value_note", size=len(cell.value)),
        "added_key_note": filled("added_key", size=_norm(cell.added_by_key)) if known else "",
        "added_head_note": filled("added_head", size=_norm(cell.added_by_head)) if known else "",
        "added_note": text["added_unknown"],
        "text": {name: text[name] for name in TEXT_KEYS},
    }


def changes(cell: Cell, text: Mapping[str, str]) -> list[str]:
    """What the model did to query and key before it multiplied them, and what q · k would be without it."""
    if not cell.changed:
        return []
    query = cell.query if cell.query_before is None else cell.query_before
    key = cell.key if cell.key_before is None else cell.key_before
    how = text["changed_and"].join(text[f"changed_{operation}"] for operation in cell.changed)
    return [text["changed"].format(how=how, product=num(float(query.double() @ key.double()), 3))]


def flow(cell: Cell, scale: float, text: Mapping[str, str]) -> list[dict[str, Any]]:
    """The cell's numbers in order: {name, value (or a word), hue, digits}."""
    names = {
        "scores": text["flow_scores"],
        "scaled": text["flow_scaled"].format(scale=f"{scale:.4g}"),
        "biased": text["flow_biased"],
        "softcapped": text["flow_softcapped"],
    }
    items: list[dict[str, Any]] = [
        _item(names[name], value, digits=3) for name, value in cell.steps.items() if name in names
    ]
    items.append(_item(text["flow_mask"], text["visible" if cell.visible else "hidden"]))
    exponential = float(cell.exponentials[cell.j])
    shift = f"{'+' if cell.largest < 0 else '−'} {num(abs(cell.largest))}"
    items.append(_item(text["flow_exponential"].format(shift=shift), exponential, digits=4))
    if cell.sink > 0:
        items.append(_item(text["flow_sink"], cell.sink, digits=4))
    items.append(_item(text["flow_weight"].format(total=num(cell.total, 3)), cell.weight, hue="w", digits=4))
    items.append(_item(text["flow_value"], cell.weight * float(cell.value.norm()), hue="v", digits=3))
    if cell.gate is not None:
        items.append(_item(text["flow_gate"], float(cell.part.norm()), hue="v", digits=3))
    share = share_of_output(cell)
    items.append(_item(text["flow_share"], "–" if share is None else f"{num(100 * share, 1)} %", hue="v"))
    return items


def share_of_output(cell: Cell) -> float | None:
    """How much of what the head writes points along this key's part: p·z / |z|², where p is w·v, or w·v times the gate,
    and z what enters W_O. None if z is 0 or not a number."""
    size = float(cell.written.double().square().sum())
    along = float(cell.part.double() @ cell.written.double())
    return along / size if size > 0 and math.isfinite(along / size) else None


def _item(name: str, value: float | str, *, hue: str = "x", digits: int = 3) -> dict[str, Any]:
    return {"name": name, "value": value, "hue": hue, "digits": digits}


def _norm(vector: Tensor | None) -> str:
    return "" if vector is None else num(float(vector.norm()), 3)
