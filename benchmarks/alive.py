"""How much memory of tensors something keeps alive."""

from __future__ import annotations

import gc
from types import FunctionType, ModuleType
from typing import Any

from torch import Tensor, nn

# There anyway: nothing that leads to them keeps alive what they hold.
_SHARED = (type, ModuleType, FunctionType, nn.Module)


def bytes_alive(root: Any, without: nn.Module | None = None) -> int:
    """Bytes of all tensors that can be reached from `root`. Each memory counts once and as a whole, even if only a
    slice of it is used. Modules are not entered, and the parameters and buffers of `without` do not count."""
    own = {*without.parameters(), *without.buffers()} if without is not None else set()
    skipped = {tensor.untyped_storage().data_ptr() for tensor in own}
    sizes: dict[int, int] = {}
    seen: set[int] = set()
    ahead = [root]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, _SHARED):
            continue
        seen.add(id(thing))
        if isinstance(thing, Tensor):
            memory = thing.untyped_storage()
            sizes[memory.data_ptr()] = memory.nbytes()
        ahead.extend(gc.get_referents(thing))
    return sum(size for place, size in sizes.items() if place not in skipped)
