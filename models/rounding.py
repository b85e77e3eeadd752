"""What counts as no difference: one notion for every chart and sentence that says whether something moved.

A sum of n products can be off by up to n·ε of the size of its parts, and other tokens beside a token change the order
in which kernels add. With float64 (ε = 2·10⁻¹⁶) what is equal on paper came out different by up to 10⁻¹⁵ of the size of
the vectors, with float32 (ε = 10⁻⁷) by up to 10⁻⁶; the bounds leave three and one powers of ten more. What anybody
would call a change, 0.1 % of a vector, lies far above both. A difference that is not a number stays one.
"""

from __future__ import annotations

import torch
from torch import Tensor

ROUNDING = {torch.float64: 1e-12, torch.float32: 1e-5}


def distances(before: Tensor, after: Tensor) -> Tensor:
    """N: how far each of the vectors N × D moved, ‖after − before‖; exactly 0 where that is rounding of the larger of
    the two. Bounds are those of the coarser of the two types."""
    far: Tensor = (after - before).norm(dim=-1)
    coarser = max((before.dtype, after.dtype), key=lambda dtype: ROUNDING[dtype])
    size = torch.maximum(before.norm(dim=-1), after.norm(dim=-1))
    return torch.where(far <= ROUNDING[coarser] * size, torch.zeros_like(far), far)
