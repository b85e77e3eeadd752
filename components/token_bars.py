"""One size per token, as bars with their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.registered import component

_COMPONENT = component(
    "am_token_bars",
    html='<div class="am am-token-bars" role="list" tabindex="0"></div>',
    css=style("token_bars/token_bars.css"),
    js=script("token_bars/token_bars.js"),
)


def token_bars_data(
    sizes: npt.NDArray[np.floating],
    names: Sequence[Sequence[str]],
    *,
    label: str,
    height: int = 96,
    most: float | None = None,
    hue: Literal["v", "w"] = "v",
) -> dict[str, Any]:
    """What the browser draws of `sizes` (N, none negative) on one scale, which ends at `most` or at the largest.

    `names` holds what stands below each bar: the token, or two where one was replaced by the other. Raises ValueError
    if there are not as many names as sizes.
    """
    if len(sizes) != len(names):
        raise ValueError(f"a name for each of {len(sizes)} bars was expected, received {len(names)}")
    values = pa.table({"v": np.ascontiguousarray(sizes, dtype=np.float32)})
    data: dict[str, Any] = {
        "sizes": values,
        "names": [list(parts) for parts in names],
        "label": label,
        "height": height,
        "most": most,
        "hue": hue,
    }
    return data


def token_bars(data: Mapping[str, Any], *, key: str) -> None:
    """Draw what `token_bars_data` made."""
    _COMPONENT(key=key, data=data)
