"""What the heads do with their queries, keys and values, worked through in blocks that stay in the cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

BLOCK = 2**17  # cells: 1 MB in float64, about a core's own cache (half and double of it measured slower)
LARGE = 2**22  # bytes from which numpy asks the system for large pages


class Looked(NamedTuple):
    """The steps from scores to head outputs, and the rows in which no key is visible."""

    scores: Tensor  # H N M
    scaled: Tensor  # H N M
    masked: Tensor  # H N M; `scaled` itself where nothing is masked
    weights: Tensor  # H N M
    head_output: Tensor  # H N V
    empty_rows: Tensor  # H N, bool


def look(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    visible: Tensor | None,
    scale: float,
    temperature: float,
    arithmetic: torch.dtype,
) -> Looked:
    """query H × N × K, key H × M × K, value H × M × V, visible H × N × M (bool, True = may look) or None.

    A block goes through all steps before the next one begins. Every assignment rounds once, from `arithmetic` to the
    dtype of the inputs, and the next step starts from what was recorded. Scaling and masking are one operation per
    cell and need no wider numbers. These are the functions of `models.steps`, written straight into the trace: what
    they would make in between costs more than the arithmetic.
    """
    to = _unwritten(query, key, value, visible is not None)
    desk = _Desk(arithmetic)
    query, key, value = (part.to(arithmetic) for part in (query, key.mT, value))
    hidden = query.new_full((), -torch.inf, dtype=to.masked.dtype)
    for heads, rows in blocks(*to.scores.shape):
        at = (heads, rows)
        desk.write(to.scores[at], torch.matmul, query[at], key[heads])
        torch.mul(to.scores[at], scale, out=to.scaled[at])
        if visible is not None:
            torch.where(visible[at], to.scaled[at], hidden, out=to.masked[at])
        desk.write(to.weights[at], _softmax, desk.wide(to.masked[at]), temperature)
        to.empty_rows[at] = _clear_empty_rows(to.masked[at], to.weights[at])
        desk.write(to.head_output[at], torch.matmul, desk.wide(to.weights[at]), value[heads])
    return to


class _Desk:
    """Where a block is computed in wider numbers than are recorded, if they are to be wider. Its memory is used again
    for every block: fresh memory interrupts the program at every page."""

    def __init__(self, dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._sheets: dict[tuple[str, torch.Size], Tensor] = {}

    def write(self, target: Tensor, operation: Callable[..., object], *inputs: object) -> None:
        """target = operation(inputs), rounded once."""
        if target.dtype == self._dtype:
            operation(*inputs, out=target)
        else:
            sheet = self._sheet("result", target)
            operation(*inputs, out=sheet)
            target.copy_(sheet)

    def wide(self, recorded: Tensor) -> Tensor:
        """What was recorded, in the wider numbers; good until the next call."""
        return recorded if recorded.dtype == self._dtype else self._sheet("input", recorded).copy_(recorded)

    def _sheet(self, use: str, like: Tensor) -> Tensor:
        name = (use, like.shape)
        if name not in self._sheets:
            self._sheets[name] = torch.empty_like(like, dtype=self._dtype)
        return self._sheets[name]


def _softmax(masked: Tensor, temperature: float, *, out: Tensor) -> None:
    """`steps.softmax`, but a row without a visible key is not a number."""
    if temperature != 1:
        masked = (masked - masked.amax(-1, keepdim=True)) / temperature
    torch.softmax(masked, -1, out=out)


def _clear_empty_rows(masked: Tensor, weights: Tensor) -> Tensor:
    """Finds the rows … N without a visible key and makes their weights 0. Their softmax is not a number in any column,
    so that one column tells which rows have to be looked at: mostly none."""
    empty = weights[..., 0].isnan()
    if bool(empty.any()):
        empty[empty.clone()] = (masked[empty] == -torch.inf).all(-1)
        weights[empty] = 0
    return empty


def blocks(heads: int, rows: int, columns: int, cells: int = BLOCK) -> Iterator[tuple[slice, slice]]:
    """Cut heads × rows × columns into slices (heads, rows) of at most `cells` cells, or one row where that is longer:
    several whole heads where they are small, some rows of one head where they are large."""
    together = max(1, cells // (rows * columns))
    height = rows if rows * columns <= cells else max(1, cells // columns)
    for head in range(0, heads, together):
        for row in range(0, rows, height):
            yield slice(head, head + together), slice(row, row + height)


def _unwritten(query: Tensor, key: Tensor, value: Tensor, masks: bool) -> Looked:
    heads, rows = query.shape[:2]
    grid = (heads, rows, key.shape[1])
    scores, scaled, weights = (room(grid, query) for _ in range(3))
    masked = room(grid, query) if masks else scaled
    head_output = room((heads, rows, value.shape[2]), query)
    return Looked(scores, scaled, masked, weights, head_output, query.new_empty(grid[:2], dtype=torch.bool))


def room(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """An uninitialised tensor of the dtype and device of `like`.

    Large ones on the CPU get their memory from numpy, which asks the system for large pages: the first write to a page
    interrupts the program, and for pages of 4 KB that can cost as much as the attention of 1,024 tokens itself.
    """
    size = math.prod(shape) * like.element_size()
    if like.device.type != "cpu" or size < LARGE:
        return like.new_empty(shape)
    return torch.from_numpy(np.empty(size, np.uint8)).view(like.dtype).view(shape)
