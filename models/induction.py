"""How much a head continues what was seen before: it looks at the token that followed the same token earlier."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

LEAST = 3  # queries with an earlier copy of their token; from fewer nothing can be said


def induction_scores(weights: Tensor, ids: Sequence[int]) -> Tensor:
    """Of weights H × N × N the mean share per head (H) that goes to tokens that followed an earlier copy of the
    query's token. Queries without such a copy do not count; with fewer than `LEAST`, the score is 0.
    (Olsson et al. 2022, "In-context learning and induction heads")
    """
    known = torch.tensor([*ids])
    size = len(known)
    if weights.shape[-2:] != (size, size):
        raise ValueError(f"expected weights of {size} × {size} tokens, received {tuple(weights.shape)}")
    same = known[:, None] == known[None, :]  # N N: the token of j is that of i
    follows = torch.zeros(size, size, dtype=torch.bool)
    follows[:, 1:] = same[:, :-1]
    follows = follows.tril()  # the copy is earlier; what followed it may be i itself
    rows = follows.any(-1)
    if int(rows.sum()) < LEAST:
        return weights.new_zeros(weights.shape[0])
    return (weights[:, rows] * follows[rows]).sum(-1).mean(-1)
