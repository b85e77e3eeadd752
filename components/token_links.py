"""Two columns of tokens joined by lines: who looks at whom, in a colour per head."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said
from components.theme import head_palette

TEXT_KEYS = (
    "label",
    "queries",
    "keys",
    "switch",
    "all",
    "only",
    "hint",
    "looks_at",
    "looked_at",
    "rest",
    "nothing",
    "not_finite",
    "sink",
)
ALL_KEPT = 40  # up to this many keys every link is sent
KEPT = 12  # of more keys the strongest per query

_HTML = """<div class="am am-token-links">
<div class="sides"><span class="q"></span><span class="k"></span></div>
<div class="scroll"><div class="pad"></div><canvas tabindex="0" role="application"></canvas></div>
<div class="switches"></div><div class="readout"></div><div class="sr live" aria-live="polite"></div></div>"""

_COMPONENT = component(
    "am_token_links",
    html=_HTML,
    css=style("token_links/token_links.css"),
    js=script("token_links/token_links.js"),
)


@dataclass(frozen=True)
class Pick:
    """A token that was clicked, as asker ("query") or as what is looked at ("key")."""

    side: Literal["query", "key"]
    index: int


def strongest_keys(
    weights: npt.NDArray[np.floating[Any]], kept: int
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float32]]:
    """Of weights H × N × M the `kept` largest per row, in falling order: their keys and weights, both H × N × kept."""
    clean = np.nan_to_num(weights.astype(np.float32), nan=0.0)
    keys = clean.shape[-1]
    kept = min(kept, keys)
    part = np.argpartition(-clean, kept - 1, axis=-1)[..., :kept]  # H × N × kept, in no order
    values = np.take_along_axis(clean, part, axis=-1)
    order = np.argsort(-values, axis=-1, kind="stable")
    return (
        np.take_along_axis(part, order, axis=-1).astype(np.uint16),
        np.take_along_axis(values, order, axis=-1),
    )


def token_links_data(
    weights: npt.NDArray[np.floating[Any]],
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    names: Sequence[str],
    active: int | None = None,
    text: Mapping[str, str],
    colours: Sequence[int] | None = None,
    only_active: bool = False,
    pinned: int | None = None,
    padded: Collection[int] = (),
    sinks: npt.NDArray[np.floating[Any]] | None = None,
    height: int = 420,
    channel: str = "",
    clickable: bool = True,
) -> dict[str, Any]:
    """What the browser draws of the links of weights H × N × M.

    `names` are the heads' names, `active` the chosen head, `colours` their places in the head palette (default
    0 … H − 1). With `only_active` the picture starts with the chosen head alone. `pinned` is the query shown while
    nothing is pointed at. Where `active` or `pinned` is None, the picture follows a matrix on the same `channel`.
    `sinks` (H × N) is what each row gives to the model's sink in place of a token. Heads are switched and tokens
    isolated in the browser. Raises ValueError where labels or names do not fit, KeyError for a missing text.
    """
    heads, queries, keys = weights.shape
    if (len(names), len(query_labels), len(key_labels)) != (heads, queries, keys):
        raise ValueError(
            f"expected {heads} names, {queries} query and {keys} key labels, "
            f"received {len(names)}, {len(query_labels)} and {len(key_labels)}"
        )
    kept_keys, kept_weights = strongest_keys(weights, keys if keys <= ALL_KEPT else KEPT)
    data: dict[str, Any] = {
        "k": pa.table({"v": kept_keys.ravel()}),
        "w": pa.table({"v": kept_weights.ravel()}),
        "kept": kept_keys.shape[-1],
        "heads": heads,
        "names": list(names),
        "colours": list(colours) if colours is not None else list(range(heads)),
        "active": active,
        "only_active": only_active,
        "pinned": pinned,
        "padded": sorted(padded),
        "queries": list(query_labels),
        "keys": list(key_labels),
        "text": {name: text[name] for name in TEXT_KEYS},
        "head_colours": head_palette(),
        "height": height,
        "channel": channel,
        "clickable": clickable,
    }

    broken = ~np.isfinite(weights).all(-1)  # H N
    if broken.any():
        data["broken"] = pa.table({"v": broken.astype(np.uint8).ravel()})
    if sinks is not None:
        data["sinks"] = pa.table({"v": np.ascontiguousarray(sinks, dtype=np.float32).ravel()})
    return data


def token_links(data: Mapping[str, Any], *, key: str, on_pick: Callable[[Pick], None] | None = None) -> None:
    """Draw what `token_links_data` made. `on_pick` is called with a token that was clicked."""
    queries, keys = len(data["queries"]), len(data["keys"])

    def changed() -> None:
        picked = parse_pick(said(key, "token"), queries, keys)
        if picked and on_pick:
            on_pick(picked)

    _COMPONENT(key=key, data=data, on_token_change=changed)


def parse_pick(payload: object, queries: int, keys: int) -> Pick | None:
    """The token a browser reported, or None if there is no such token."""
    if not isinstance(payload, Mapping):
        return None
    side = payload.get("side")
    if side != "query" and side != "key":
        return None
    index = whole_number(payload.get("index"), queries if side == "query" else keys)
    return None if index is None else Pick(side, index)
