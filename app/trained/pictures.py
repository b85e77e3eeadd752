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

from app.trained.shown import Axis, shown_mask, shown_weights
from components.head_grid import Link, encode_heads
from models.head_roles import SHARES, Standing, shares
from models.pretrained import AttentionCall
from models.pretrained.labels import ModelTokens

CELLS = 1_200_000  # bytes of pictures that travel to the browser at most


@dataclass(frozen=True)
class Pictures:
    """`codes` (heads × rows × cols, see `encode_heads`), the `strongest` link and the `scores` (kind → one number per
    head, NaN where it was not measured) of every place in the grid of layers × heads; places that a layer does not
    have are empty. Pictures and links are of what is shown (words or tokens, with or without special ones), scores of
    all tokens."""

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
    axes: tuple[Axis, Axis] | None = None,
) -> Pictures:
    """The pictures of these calls; `tokens` are those of their trace, `axes` the rows and columns that are shown (all
    of them by default). `report` is told how far it is, from 0 to 1."""
    columns = max(call.heads for call in calls)
    places = len(calls) * columns
    longest = max(max(call.queries, call.keys) for call in calls)
    side = picture_side(places, longest if axes is None else max(len(axis.kept) for axis in axes))
    codes = np.zeros((places, side, side), dtype=np.uint8)
    strongest: list[Link | None] = [None] * places
    scores = {kind: np.full(places, np.nan, dtype=np.float32) for kind in SHARES}
    standing = Standing(tokens)
    for row, call in enumerate(calls):
        weights = call.weights_of_heads(range(call.heads))  # H N M
        taken = slice(row * columns, row * columns + call.heads)
        own = axes if axes is not None and _fit(axes, call) else None
        drawn = weights if own is None else torch.from_numpy(shown_weights(weights, *own))
        codes[taken] = _codes(call, drawn, side, own)
        strongest[taken] = _strongest(drawn)
        for kind, value in shares(weights, standing(call)).items():
            scores[kind][taken] = value.numpy()
        report((row + 1) / len(calls))
    return Pictures(codes, strongest, scores, side)


def _fit(axes: tuple[Axis, Axis], call: AttentionCall) -> bool:
    """Whether the axes are this call's: layers of some models (Swin) have other numbers of tokens."""
    return tuple(sum(map(len, axis.groups)) for axis in axes) == (call.queries, call.keys)


def _strongest(weights: Tensor) -> list[Link | None]:
    """The largest weight of every head (H × N × M); None where there is none above 0."""
    flat = weights.flatten(1)
    values, places = flat.max(-1)
    for head in torch.nonzero(values.isnan()).flatten().tolist():  # NaN counts as larger than any number
        values[head], places[head] = torch.nan_to_num(flat[head]).max(-1)
    columns = weights.shape[-1]
    return [
        Link(place // columns, place % columns, value) if value > 0 else None
        for value, place in zip(values.tolist(), places.tolist(), strict=True)
    ]


def _codes(
    call: AttentionCall, weights: Tensor, side: int, axes: tuple[Axis, Axis] | None
) -> npt.NDArray[np.uint8]:
    """Block maxima, so that a thin diagonal survives, and masked where all of a block is masked."""
    mask = _blocks(call.visible(), side, axes)
    read = None if call.padded is None else _blocks(~call.padded[0].expand(call.queries, -1), side, axes)
    padded = None if read is None else ~read
    pooled: npt.NDArray[np.floating[Any]] = _pool(weights, side).numpy()
    return encode_heads(pooled, mask, padded, side, keys=weights.shape[-1])


def _blocks(open_: Tensor | None, side: int, axes: tuple[Axis, Axis] | None) -> npt.NDArray[np.bool_] | None:
    """Where a block has a cell that is open (N × M, bool)."""
    if open_ is None:
        return None
    shown = open_.numpy() if axes is None else shown_mask(open_, *axes)
    assert shown is not None
    blocks: npt.NDArray[np.bool_] = _pool(torch.from_numpy(shown)[None].float(), side)[0].bool().numpy()
    return blocks


def _pool(values: Tensor, side: int) -> Tensor:
    return adaptive_max_pool2d(values[:, None], (side, side))[:, 0]
