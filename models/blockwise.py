"""What the heads do with their queries, keys and values, worked through in blocks that stay in the cache."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from models import steps

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
    exact: bool,
) -> Looked:
    """query H × N × K, key H × M × K, value H × M × V, visible H × N × M (bool, True = may look) or None.

    A block goes through all steps before the next one begins, and the next step starts from what was recorded.
    """
    to = _unwritten(query, key, value, visible is not None)
    (_by_steps if exact else _written)(to, query, key, value, visible, scale, temperature)
    return to


def _by_steps(
    to: Looked,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    visible: Tensor | None,
    scale: float,
    temperature: float,
) -> None:
    """By the functions of `models.steps`, which are what the app shows as the code that ran. Sums are made in float64
    and every assignment rounds once; scaling and masking are one operation per cell and need no wider numbers."""
    key, value = key.double(), value.double()
    for heads, rows in blocks(*to.scores.shape):
        at = (heads, rows)
        to.scores[at] = steps.dot_products(query[at].double(), key[heads])
        to.scaled[at] = steps.scale_scores(to.scores[at], scale)
        if visible is not None:
            to.masked[at] = steps.apply_mask(to.scaled[at], visible[at])
        to.empty_rows[at] = to.masked[at].amax(-1) == -torch.inf
        to.weights[at] = steps.softmax(to.masked[at].double(), temperature)
        to.head_output[at] = steps.mix_values(to.weights[at].double(), value[heads])


def _written(
    to: Looked,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    visible: Tensor | None,
    scale: float,
    temperature: float,
) -> None:
    """The same in the dtype of the inputs, straight into the trace: what the functions of `models.steps` would make in
    between costs more than the arithmetic."""
    hidden = query.new_full((), -torch.inf, dtype=to.masked.dtype)
    for heads, rows in blocks(*to.scores.shape):
        at = (heads, rows)
        torch.matmul(query[at], key[heads].mT, out=to.scores[at])
        torch.mul(to.scores[at], scale, out=to.scaled[at])
        if visible is not None:
            torch.where(visible[at], to.scaled[at], hidden, out=to.masked[at])
        _softmax(to.masked[at], temperature, out=to.weights[at])
        to.empty_rows[at] = _clear_empty_rows(to.masked[at], to.weights[at])
        torch.matmul(to.weights[at], value[heads], out=to.head_output[at])


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
