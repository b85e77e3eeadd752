"""Norms of queries and keys: which of a model's norm layers made a vector, found by trying and checking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Norm:
    """A norm of queries or keys: `kind` "rms_norm" or "layer_norm".

    Usually over a head's own vector: weight and bias are 1 × K or H × K. A `wide` one is over the vectors of all heads
    side by side, before they are cut into heads (OLMo 2): weight and bias are 1 × H·K.
    """

    kind: str
    weight: Tensor
    bias: Tensor
    epsilon: float
    wide: bool = False

    def apply(self, x: Tensor) -> Tensor:
        """x (H × N × K) normed, in x's dtype."""
        if self.wide:
            flat = self._norm(x.transpose(0, 1).flatten(1), self.weight, self.bias)  # N HK
            return flat.reshape(x.shape[1], x.shape[0], x.shape[2]).transpose(0, 1)
        return self._norm(x, self.weight[:, None], self.bias[:, None])

    def apply_to_head(self, x: Tensor, head: int) -> Tensor:
        """x (… N × K, one head's vectors) normed, in x's dtype; not for wide norms."""
        return self._norm(x, *self.of_head(head))

    def of_head(self, head: int) -> tuple[Tensor, Tensor]:
        """Weight and bias (K) of one head."""
        at = head if len(self.weight) > 1 else 0
        return self.weight[at], self.bias[at if len(self.bias) > 1 else 0]

    def _norm(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        if self.kind == "layer_norm":
            x = x - x.mean(-1, keepdim=True)
        size = (x.square().mean(-1, keepdim=True) + self.epsilon).sqrt()
        return x / size * weight.to(x.dtype) + bias.to(x.dtype)


def candidates(modules: Iterable[nn.Module], heads: int, width: int) -> Iterator[Norm]:
    """Every way to read the given norm layers as one over vectors of `width` numbers, or over `heads` of them."""
    for module in dict.fromkeys(modules):
        names = ("variance_epsilon", "eps", "epsilon")
        epsilon = next((float(getattr(module, name)) for name in names if hasattr(module, name)), 1e-6)
        weight, bias = (_numbers(getattr(module, name, None)) for name in ("weight", "bias"))
        for size, rows, wide in ((width, 1, False), (width, heads, False), (heads * width, 1, True)):
            if weight is not None and weight.numel() != size * rows:
                continue
            if wide and (weight is None or heads == 1):
                continue
            ones, zeros = torch.ones(1, size), torch.zeros(1, size)
            offset = zeros if bias is None else bias.reshape(rows, size)
            scales = (
                (ones,) if weight is None else (weight.reshape(rows, size), 1 + weight.reshape(rows, size))
            )
            for scale in scales:  # Gemma stores its weight less one
                yield Norm("rms_norm", scale, offset, epsilon, wide)
                yield Norm("layer_norm", scale, offset, epsilon, wide)


def _numbers(tensor: object) -> Tensor | None:
    return tensor.detach().float() if isinstance(tensor, Tensor) else None
