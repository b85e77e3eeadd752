"""A transformer drawn as in its paper (Vaswani et al. 2017, figure 1), with real weights in each place of attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.matrix import cell_states
from components.registered import component, said

TEXT_KEYS = (
    "label",
    "open",
    "add_norm",
    "norm",
    "add",
    "embedding",
    "positions",
    "predict",
    "times",
    "memory",
    "hidden",
    "save",
)
SIDE = 96  # cells per side of a small picture

_HTML = """<div class="am am-architecture"><div class="figure"><svg></svg><div class="corner"></div></div>
<div class="tip" aria-hidden="true"></div><div class="sr live" aria-live="polite"></div></div>"""

_COMPONENT = component(
    "am_architecture",
    html=_HTML,
    css=style("architecture/architecture.css"),
    js=script("architecture/architecture.js"),
)


@dataclass(frozen=True)
class Attention:
    """A place where attention acts, with the `weights` (N × M) that are shown there and their `mask` (True: visible).

    `name` is what is reported when the place is opened; `says` is a sentence for the tip and for screen readers.
    """

    name: str
    title: str
    size: str
    shown: str
    says: str
    weights: npt.NDArray[np.floating[Any]]
    mask: npt.NDArray[np.bool_] | None = None
    cross: bool = False


@dataclass(frozen=True)
class Plain:
    """A part without attention: a feed-forward layer, a recurrent unit, or a place that the model does not have."""

    kind: Literal["feed_forward", "recurrent", "absent"]
    title: str
    says: str = ""


@dataclass(frozen=True)
class Tower:
    """One stack of the model, or (`missing` says why) the place where it would stand.

    `parts` are those of one layer, from bottom to top. `norm` says whether the layer norm stands before or after each
    of them, `positions` whether something is added to the embeddings, `final_norm` whether a norm follows the last
    layer. `outputs` are the tokens that come out on top.
    """

    title: str
    layers: int = 0
    parts: Sequence[Attention | Plain] = ()
    tokens: Sequence[str] = ()
    tokens_name: str = ""
    norm: Literal["pre", "post"] = "post"
    positions: bool = True
    final_norm: bool = False
    outputs: Sequence[str] = ()
    outputs_name: str = ""
    missing: str = ""


def architecture_data(
    encoder: Tower,
    decoder: Tower,
    *,
    chosen: str,
    corner: Sequence[str],
    text: Mapping[str, str],
    height: int = 600,
    channel: str = "",
) -> dict[str, Any]:
    """What the browser draws of the two towers side by side, the encoder's output going into the decoder's
    cross-attention.

    `chosen` is the name of the place that is open, `corner` a title and lines of facts for the free corner. The
    query and the key that a picture of the open place on the same `channel` points at are marked among the tokens.
    `text` needs TEXT_KEYS; "times" has the place
    {count}. Raises ValueError where a mask does not fit or a name occurs twice, KeyError for a missing text.
    """
    places = [part for tower in (encoder, decoder) for part in tower.parts if isinstance(part, Attention)]
    names = [place.name for place in places]
    if len(set(names)) < len(names):
        raise ValueError(f"names that occur once were expected, received {names}")
    data: dict[str, Any] = {
        "encoder": _tower(encoder),
        "decoder": _tower(decoder),
        "chosen": chosen,
        "corner": list(corner),
        "height": height,
        "channel": channel,
        "text": {name: text[name] for name in TEXT_KEYS},
    }
    for number, place in enumerate(places):
        values, mask = small(place.weights, place.mask)
        data[f"weights{number}"] = pa.table({"v": np.ascontiguousarray(values).ravel()})
        rows, cols = values.shape
        data[f"states{number}"] = pa.table({"v": cell_states(rows, cols, mask, None).ravel()})
    data["pictures"] = {
        place.name: {"number": number, **_shape(place.weights)} for number, place in enumerate(places)
    }
    return data


def architecture(data: Mapping[str, Any], *, key: str, on_open: Callable[[str], None] | None = None) -> None:
    """Draw what `architecture_data` made. `on_open` is called with a place's name before the page runs again."""
    names = tuple(data["pictures"])

    def changed() -> None:
        name = parse_place(said(key, "place"), names)
        if name is not None and on_open:
            on_open(name)

    _COMPONENT(key=key, data=data, on_place_change=changed)


def small(
    weights: npt.NDArray[np.floating[Any]], mask: npt.NDArray[np.bool_] | None, side: int = SIDE
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_] | None]:
    """Weights and mask with at most `side` rows and columns; a block shows its largest weight, and is masked where all
    of it is, so that a thin diagonal survives. Raises ValueError where the mask does not fit."""
    if mask is not None and mask.shape != weights.shape:
        raise ValueError(f"expected a mask of shape {weights.shape}, received {mask.shape}")
    values = weights.astype(np.float32)
    for axis, size in enumerate(weights.shape):
        if size > side:
            starts = np.arange(side) * size // side
            values = np.fmax.reduceat(values, starts, axis=axis)
            mask = None if mask is None else np.logical_or.reduceat(mask, starts, axis=axis)
    return values, mask


def parse_place(payload: object, names: Sequence[str]) -> str | None:
    """The place a browser reported, or None if there is no such place."""
    return payload if isinstance(payload, str) and payload in names else None


def _shape(weights: npt.NDArray[np.floating[Any]]) -> dict[str, int]:
    rows, cols = (min(SIDE, size) for size in weights.shape)
    return {"rows": rows, "cols": cols, "keys": weights.shape[1]}


def _tower(tower: Tower) -> dict[str, Any]:
    return {
        "title": tower.title,
        "layers": tower.layers,
        "parts": [_part(part) for part in tower.parts],
        "tokens": list(tower.tokens),
        "tokens_name": tower.tokens_name,
        "norm": tower.norm,
        "positions": tower.positions,
        "final_norm": tower.final_norm,
        "outputs": list(tower.outputs),
        "outputs_name": tower.outputs_name,
        "missing": tower.missing,
    }


def _part(part: Attention | Plain) -> dict[str, Any]:
    if isinstance(part, Plain):
        return {"kind": part.kind, "title": part.title, "says": part.says}
    return {
        "kind": "cross" if part.cross else "self",
        "name": part.name,
        "title": part.title,
        "size": part.size,
        "shown": part.shown,
        "says": part.says,
    }
