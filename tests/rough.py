"""Another processor, played on this one: products that are rounded a little differently.

Which kernel computes a product, and so the last bits of it, depends on the processor, the number of threads, the shapes
and where in a batch a row stands. `TESTS_ROUGH=1 pytest …` runs every test under `Rough`: the same product on the same
shapes gives the same bits, any other route to a value differs by an ulp or two. A test that fails then asks two routes
for the same bits, and would fail on somebody's machine.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

ULPS = 1.0  # how far a number is moved at most, in units of its type's precision

_ATEN = torch.ops.aten
PRODUCTS = {
    packet
    for name in ("mm", "bmm", "addmm", "baddbmm", "mv", "dot", "addmv", "_scaled_dot_product_flash_attention_for_cpu",
                 "_scaled_dot_product_attention_math",
                 # in inference mode composite operations are not taken apart before they arrive here
                 "matmul", "linear", "einsum", "scaled_dot_product_attention")
    if (packet := getattr(_ATEN, name, None)) is not None
}  # fmt: skip


class Rough(TorchDispatchMode):
    """Moves each number of a product by at most ULPS, by a pattern of its shape and place alone."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        found = func(*args, **(kwargs or {}))
        if func.overloadpacket not in PRODUCTS:
            return found
        return (_moved(found[0]), *found[1:]) if isinstance(found, tuple) else _moved(found)


def _moved(exact: Tensor) -> Tensor:
    """The product as another kernel might round it. Sums of whole numbers are exact in every kernel."""
    if not exact.is_floating_point():
        return exact
    place = torch.arange(exact.numel(), dtype=torch.float64).reshape(exact.shape)
    phase = float(sum((axis + 1) * size for axis, size in enumerate(exact.shape)))
    error = torch.sin(place * 12.9898 + phase) * ULPS * torch.finfo(exact.dtype).eps
    return torch.where(exact == exact.round(), exact, (exact * (1 + error)).to(exact.dtype))
