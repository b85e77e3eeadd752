"""How much a head continues what was seen before: it looks at the token that followed the same token earlier."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def induction_scores(weights: Tensor, ids: Sequence[int]) -> Tensor:
    """Of weights H × N × N the mean share per head (H) that goes to tokens that followed an earlier copy of the
    query's token. Queries without such a copy do not count; without any, the score is 0. (Olsson et al. 2022,
    "In-context learning and induction heads")
    """
    known = torch.tensor([*ids])
    size = len(known)
    if weights.shape[-2:] != (size, size):
        raise ValueError(f"expected weights of {size} × {size} tokens, received {tuple(weights.shape)}")
    same = known[:, None] == known[None, :]  # N N: the token of j is that of i
    follows = torch.zeros(size, size, dtype=torch.bool)
    follows[:, 1:] = same[:, :-1]
    follows &= torch.ones(
        size, size, dtype=torch.bool
    ).tril()  # the copy is earlier, what followed may be i itself
    rows = follows.any(-1)
    if not bool(rows.any()):
        return weights.new_zeros(weights.shape[0])
    return (weights[:, rows] * follows[rows]).sum(-1).mean(-1)
