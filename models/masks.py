"""Masks: who may look at whom.

A mask is a predicate over positions (query i, key j), made into a boolean tensor in which **True means "may look"**
(the convention of `torch.nn.functional.scaled_dot_product_attention`). Masks combine by "and".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

Predicate = Callable[[Tensor, Tensor], Tensor]


def from_predicate(predicate: Predicate, queries: int, keys: int | None = None) -> Tensor:
    """The mask (N × M, bool) in which cell (i, j) is `predicate(i, j)`.

    >>> from_predicate(lambda i, j: (i + j) % 2 == 0, 2)
    tensor([[ True, False],
            [False,  True]])
    """
    keys = queries if keys is None else keys
    i = torch.arange(queries)[:, None]
    j = torch.arange(keys)[None, :]
    return predicate(i, j).expand(queries, keys).clone()  # N M


def causal(queries: int, keys: int | None = None) -> Tensor:
    """No query sees a later key: j ≤ i (N × M, bool). Vaswani et al. 2017, section 3.2.3."""
    return from_predicate(lambda i, j: j <= i, queries, keys)


def sliding_window(queries: int, window: int, keys: int | None = None) -> Tensor:
    """A query sees keys less than `window` positions away, itself included: |i − j| < window (N × M, bool).

    Combined with `causal` this is the window of Mistral: each token sees itself and the window − 1 before it.
    Raises ValueError if `window` is below 1.
    """
    if window < 1:
        raise ValueError(f"a window of at least 1 was expected (a token sees itself), received {window}")
    return from_predicate(lambda i, j: (i - j).abs() < window, queries, keys)


def prefix(queries: int, length: int, keys: int | None = None) -> Tensor:
    """Causal, but the first `length` keys are seen by all: j < length or j ≤ i (N × M, bool). Raffel et al. 2020."""
    if length < 0:
        raise ValueError(f"a prefix length of at least 0 was expected, received {length}")
    return from_predicate(lambda i, j: (j < length) | (j <= i), queries, keys)


def padding(keys: int, hidden: Iterable[int] = (), *, lengths: Sequence[int] | None = None) -> Tensor:
    """Keys that are padding are seen by none.

    `hidden` lists the padded positions: 1 × M, bool. With `lengths` (one per sequence of a batch) the positions from
    each length on are padded: B × 1 × M. Raises ValueError for a position or length outside the keys.
    """
    if lengths is not None:
        if any(not 0 <= length <= keys for length in lengths):
            raise ValueError(f"lengths from 0 to {keys} were expected, received {list(lengths)}")
        return (torch.arange(keys) < torch.tensor(list(lengths))[:, None])[:, None, :]  # B 1 M
    positions = list(hidden)
    if any(not 0 <= position < keys for position in positions):
        raise ValueError(f"positions from 0 to {keys - 1} were expected, received {positions}")
    visible = torch.ones(1, keys, dtype=torch.bool)
    visible[:, positions] = False
    return visible  # 1 M


def combine(*masks: Tensor | None) -> Tensor | None:
    """What every mask allows. None stands for "no mask"; the result is None if all are."""
    combined: Tensor | None = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else combined & mask
    return combined
