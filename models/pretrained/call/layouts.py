"""Which output of a linear layer is which dimension of which head.

Models cut their projections in many ways: one layer each for q, k and v; one fused layer with q, k and v as three
blocks (GPT-2), per head (GPT-NeoX), per group of heads (Falcon) or per shard (CodeGen). All of them are one family:
the outputs form groups of `stride` vectors of K numbers, and in each group some vectors in a row are the heads.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D


def layouts(features: int, heads: int, width: int) -> Iterator[Tensor]:
    """All ways to find `heads` vectors of `width` numbers among `features` outputs: H × K indices each."""
    if features % width or features < heads * width:
        return
    vectors = features // width
    if vectors == heads:
        yield torch.arange(features).reshape(heads, width)
        return
    for groups in (g for g in range(1, heads + 1) if heads % g == 0 and vectors % g == 0):
        stride, together = vectors // groups, heads // groups
        for first in range(stride - together + 1):
            at = (
                torch.arange(groups)[:, None] * stride + first + torch.arange(together)
            )  # vector of each head
            yield at.reshape(-1, 1) * width + torch.arange(width)


def matrix(module: nn.Module) -> tuple[Tensor, Tensor | None]:
    """Weight (D × F, as it multiplies a row from the right) and bias (F) of a linear layer, without copying."""
    weight, bias = module.weight, module.bias
    assert isinstance(weight, Tensor)
    assert bias is None or isinstance(bias, Tensor)
    oriented = weight.detach() if isinstance(module, Conv1D) else weight.detach().T
    return oriented, None if bias is None else bias.detach()
