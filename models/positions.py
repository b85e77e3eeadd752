"""Positional encodings: how a model that sees a set of vectors is told their order.

Absolute ones, which are added to the input, are here; those that act on queries, keys or scores are in
`models.relative` and can be imported from here as well.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.relative import alibi, relative_bias, rotary

__all__ = ["alibi", "frequency", "learned", "relative_bias", "rotary", "sinusoidal"]


def frequency(dimension: int, d_model: int, base: float = 10_000.0) -> float:
    """Radians per position in one dimension: 1 / base^(2i/d_model), where dimensions 2i and 2i+1 are a pair."""
    return float(base ** -(2 * (dimension // 2) / d_model))


def sinusoidal(
    length: int, d_model: int, *, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Sinusoidal absolute encoding, length × d_model.

    PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(pos / base^(2i/d_model)); positions count from 0.
    An odd d_model ends with a sine. Computed in float64. Source: Vaswani et al. 2017, section 3.5.
    Raises ValueError for a length below 0, a d_model below 1 or a base of 0 or less.

    >>> sinusoidal(2, 2)
    tensor([[0.0000, 1.0000],
            [0.8415, 0.5403]])
    """
    if length < 0 or d_model < 1 or base <= 0:
        raise ValueError(
            f"length ≥ 0, d_model ≥ 1 and base > 0 were expected, received {length}, {d_model}, {base}"
        )
    rates = torch.tensor([frequency(c, d_model, base) for c in range(d_model)], dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rates  # N D
    encoding = torch.empty_like(angles)
    encoding[:, 0::2] = angles[:, 0::2].sin()
    encoding[:, 1::2] = angles[:, 1::2].cos()
    return encoding.to(dtype)


def learned(table: Tensor, length: int) -> Tensor:
    """The first `length` rows of a trained table (positions × D), as in BERT and GPT-2: length × D.

    Raises ValueError for more positions than the table has: a learned encoding ends where training ended.
    """
    if not 0 <= length <= len(table):
        raise ValueError(
            f"0 to {len(table)} positions were expected (the table has no more), received {length}"
        )
    return table[:length]
