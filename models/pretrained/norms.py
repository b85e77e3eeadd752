"""Norms of queries and keys: which of a model's norm layers made a vector, found by trying and checking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Norm:
    """A norm over a head's vector: `kind` "rms_norm" or "layer_norm"; weight and bias are 1 × K or H × K."""

    kind: str
    weight: Tensor
    bias: Tensor
    epsilon: float

    def apply(self, x: Tensor, head: int | None = None) -> Tensor:
        """x (H × N × K, or N × K of one head) normed, in x's dtype."""
        weight, bias = (t.to(x.dtype) for t in (self.of(self.weight, head), self.of(self.bias, head)))
        if head is None:
            weight, bias = weight[:, None], bias[:, None]  # H 1 K
        if self.kind == "layer_norm":
            x = x - x.mean(-1, keepdim=True)
        return x / (x.square().mean(-1, keepdim=True) + self.epsilon).sqrt() * weight + bias

    @staticmethod
    def of(tensor: Tensor, head: int | None) -> Tensor:
        """The part of one head."""
        return tensor if head is None else tensor[head if len(tensor) > 1 else 0]


def candidates(modules: Iterable[nn.Module], heads: int, width: int) -> Iterator[Norm]:
    """Every way to read the given norm layers as one over vectors of `width` numbers."""
    for module in dict.fromkeys(modules):
        epsilon = next(
            (float(getattr(module, n)) for n in ("variance_epsilon", "eps", "epsilon") if hasattr(module, n)),
            1e-6,
        )
        weight, bias = (_per_head(getattr(module, name, None), heads, width) for name in ("weight", "bias"))
        if weight is None and getattr(module, "weight", None) is not None:
            continue  # over another width, such as all heads together
        ones, zeros = torch.ones(1, width), torch.zeros(1, width)
        bias = zeros if bias is None else bias
        # Gemma stores its weight less one
        for scale in (ones,) if weight is None else (weight, 1 + weight):
            yield Norm("rms_norm", scale, bias, epsilon)
            yield Norm("layer_norm", scale, bias, epsilon)


def _per_head(tensor: object, heads: int, width: int) -> Tensor | None:
    if not isinstance(tensor, Tensor):
        return None
    flat = tensor.detach().float()
    if flat.shape[-1] == width and flat.numel() in (width, heads * width):
        return flat.reshape(-1, width)
    return None
