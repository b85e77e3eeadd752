"""A positional encoding: dimension × position as a heatmap, and one pair of dimensions as waves on the same axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said

TEXT_KEYS = ("label", "tip", "position", "dimension", "hint")

_COMPONENT = component(
    "am_encoding",
    html='<div class="am am-encoding"><canvas tabindex="0" role="application"></canvas><div class="bar"></div>'
    '<div class="tip" aria-hidden="true"></div><div class="sr live" aria-live="polite"></div>'
    '<div class="sr"><table></table></div></div>',
    css=style("encoding/encoding.css"),
    js=script("encoding/encoding.js"),
)


@dataclass(frozen=True)
class Wave:
    """One dimension at every position (L)."""

    dimension: int
    values: npt.NDArray[np.floating[Any]]


def encoding_data(
    values: npt.NDArray[np.floating[Any]],
    waves: Sequence[Wave],
    *,
    length: int,
    dimensions: int,
    steps: tuple[int, int],
    text: Mapping[str, str],
    height: int = 460,
    limit: float | None = None,
    marked: int = 0,
) -> dict[str, Any]:
    """What the browser draws of an encoding of `length` positions × `dimensions`.

    `values` has every steps[0]-th position (rows) and every steps[1]-th dimension (columns). `waves` are the chosen
    dimensions in full. Colours are strongest from `limit` on (default: the largest size). The first `marked` positions
    are those of the user's sentence. `text` needs TEXT_KEYS; its "tip" has the places {position}, {dimension} and
    {value}. Raises ValueError if
    there are not as many values as the steps say.
    """
    expected = (-(-length // steps[0]), -(-dimensions // steps[1]))
    if values.shape != expected:
        raise ValueError(f"values of shape {expected} were expected, received {values.shape}")
    sizes = np.abs(values)[np.isfinite(values)]  # one NaN must not take the others' colours away
    data: dict[str, Any] = {
        "v": pa.table({"v": np.ascontiguousarray(values, dtype=np.float32).ravel()}),
        **{f"wave{n}": _column(wave.values) for n, wave in enumerate(waves)},
        "waves": [wave.dimension for wave in waves],
        "length": length,
        "dimensions": dimensions,
        "steps": list(steps),
        "limit": float(sizes.max(initial=0)) if limit is None else limit,
        "height": height,
        "marked": marked,
        "text": {name: text[name] for name in TEXT_KEYS},
    }
    return data


def encoding(data: Mapping[str, Any], *, key: str, on_choose: Callable[[int], None] | None = None) -> None:
    """Draw what `encoding_data` made. `on_choose` is called with a dimension that was clicked."""
    dimensions = data["dimensions"]

    def changed() -> None:
        dimension = whole_number(said(key, "dimension"), dimensions)
        if dimension is not None and on_choose:
            on_choose(dimension)

    _COMPONENT(key=key, data=data, on_dimension_change=changed)


def _column(values: npt.NDArray[np.floating[Any]]) -> pa.Table:
    return pa.table({"v": np.ascontiguousarray(values, dtype=np.float32)})
