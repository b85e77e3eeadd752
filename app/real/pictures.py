"""Small pictures of all heads of a stack, with each head's strongest link and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import adaptive_max_pool2d

from components.head_grid import Link, encode_heads
from models.head_roles import SHARES, call_shares
from models.pretrained import AttentionCall
from models.pretrained.labels import ModelTokens

CELLS = 1_200_000  # bytes of pictures that travel to the browser at most


@dataclass(frozen=True)
class Pictures:
    """`codes` (heads × rows × cols, see `encode_heads`), the `strongest` link and the `scores` (kind → one number per
    head, NaN where it was not measured) of every place in the grid of layers × heads; places that a layer does not
    have are empty."""

    codes: npt.NDArray[np.uint8]
    strongest: list[Link | None]
    scores: dict[str, npt.NDArray[np.float32]]
    side: int


def picture_side(heads: int, tokens: int) -> int:
    """Cells per side of a picture: as many as there are tokens, fewer where there are many heads."""
    fitting = int((CELLS / max(1, heads)) ** 0.5)
    return max(min(8, tokens), min(64, fitting, tokens))


def draw_pictures(
    calls: Sequence[AttentionCall],
    tokens: Mapping[str, ModelTokens],
    report: Callable[[float], object] = lambda _: None,
) -> Pictures:
    """The pictures of these calls; `tokens` are those of their trace. `report` is told how far it is, from 0 to 1."""
    columns = max(call.heads for call in calls)
    places = len(calls) * columns
    side = picture_side(places, max(max(call.queries, call.keys) for call in calls))
    codes = np.zeros((places, side, side), dtype=np.uint8)
    strongest: list[Link | None] = [None] * places
    scores = {kind: np.full(places, np.nan, dtype=np.float32) for kind in SHARES}
    for row, call in enumerate(calls):
        weights = torch.stack([call.weights(head) for head in range(call.heads)])  # H N M
        taken = slice(row * columns, row * columns + call.heads)
        codes[taken] = _codes(call, weights, side)
        strongest[taken] = [_strongest(head) for head in weights]
        for kind, value in call_shares(call, weights, tokens).items():
            scores[kind][taken] = value.numpy()
        report((row + 1) / len(calls))
    return Pictures(codes, strongest, scores, side)


def _strongest(weights: Tensor) -> Link | None:
    """The largest weight of one head (N × M); None where there is none above 0."""
    value, at = torch.nan_to_num(weights).flatten().max(0)
    row, column = divmod(int(at), weights.shape[-1])
    return Link(row, column, float(value)) if float(value) > 0 else None


def _codes(call: AttentionCall, weights: Tensor, side: int) -> npt.NDArray[np.uint8]:
    """Block maxima, so that a thin diagonal survives, and masked where all of a block is masked."""
    visible = call.visible()
    mask = None if visible is None else _pool(visible[None].float(), side)[0].bool().numpy()
    padded: npt.NDArray[np.bool_] | None = None
    if call.padded is not None:
        hidden = call.padded[0].float().expand(call.queries, -1)[None]
        padded = (_pool(1 - hidden, side)[0] == 0).numpy()
    pooled: npt.NDArray[np.floating[Any]] = _pool(weights, side).numpy()
    return encode_heads(pooled, mask, padded, side, keys=call.keys)


def _pool(values: Tensor, side: int) -> Tensor:
    return adaptive_max_pool2d(values[:, None], (side, side))[:, 0]
