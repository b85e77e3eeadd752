"""What a head does, in numbers: how much of its attention goes to places that mean something."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

KINDS = ("previous", "next", "same", "first", "special")


def head_scores(weights: Tensor, special: Sequence[bool] = ()) -> dict[str, Tensor]:
    """Of weights H × N × M the mean share per head (H) that goes to the previous token, the next, the token itself,
    the first, and the special tokens.

    Only queries that have such a key count: the first token has no previous one, and is not counted as looking at the
    "first" when it looks at itself. `special` marks the keys (M); without it that score is 0. For attention between two
    different sequences (N ≠ M) only the places that exist are compared.
    """
    marked = (
        torch.tensor([*special], dtype=torch.bool)
        if len(special)
        else torch.zeros(weights.shape[-1], dtype=torch.bool)
    )
    share: dict[str, Callable[[], Tensor]] = {
        "previous": lambda: _diagonal(weights, -1),
        "next": lambda: _diagonal(weights, 1),
        "same": lambda: _diagonal(weights, 0),
        "first": lambda: _mean(weights[:, 1:, 0]),
        "special": lambda: weights[..., marked].sum(-1).mean(-1),
    }
    return {kind: share[kind]() for kind in KINDS}


def _diagonal(weights: Tensor, offset: int) -> Tensor:
    """Mean of the weights w[i, i + offset]."""
    return _mean(torch.diagonal(weights, offset, dim1=-2, dim2=-1))


def _mean(values: Tensor) -> Tensor:
    """Mean over the last axis, 0 where there is nothing."""
    return values.mean(-1) if values.shape[-1] else values.new_zeros(values.shape[:-1])
