"""The one place where attention lets itself be changed: its head outputs, before W_O takes them up."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from torch import Tensor, nn


class Change(Protocol):
    """Is given one attention and returns its head outputs as they are to be; `output` itself if nothing changes.

    q is B × H × N × K, k and v are B × Hkv × M × (K or V), `output` is B × H × N × V and must not be written to. `mask`
    (True = may look, or a float that is added) broadcasts to B × H × N × M; `options` is what transformers gives an
    attention function beside them.
    """

    def __call__(
        self,
        module: nn.Module,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        options: Mapping[str, Any],
        output: Tensor,
    ) -> Tensor: ...


# Per thread: sessions that share a model never change each other's runs.
CHANGE: ContextVar[Change | None] = ContextVar("attention_change", default=None)
