"""Softmax as it is written in books, and as it is computed: why the largest score is subtracted first."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Softmaxes:
    """One row of scores (M) in both ways, in the dtype of the scores: exponentials, their sum, and the weights."""

    naive_exponentials: Tensor
    naive_sum: Tensor
    naive: Tensor
    stable_exponentials: Tensor
    stable_sum: Tensor
    stable: Tensor


def naive_softmax(scores: Tensor) -> Tensor:
    """e^s / Σ e^s, to the letter. In float32 e^88.8 is already ∞, and ∞ / ∞ is not a number."""
    exponentials = scores.exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def stable_softmax(scores: Tensor) -> Tensor:
    """The same with the row's maximum subtracted first: equal on paper, and no exponent is above 0."""
    return naive_softmax(scores - scores.amax(-1, keepdim=True))


def both(scores: Tensor) -> Softmaxes:
    """Both ways with everything in between."""
    shifted = scores - scores.amax(-1, keepdim=True)
    ways = [(x.exp(), x.exp().sum(-1)) for x in (scores, shifted)]
    return Softmaxes(*ways[0], naive_softmax(scores), *ways[1], stable_softmax(scores))


def limit(dtype: torch.dtype) -> float:
    """The largest s for which e^s is a finite number of this dtype."""
    return float(torch.tensor(torch.finfo(dtype).max, dtype=torch.float64).log())
