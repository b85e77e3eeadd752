"""What is kept of one attention call while the model runs: references, no matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Projected:
    """A linear layer that ran inside an attention module, with what went into it (… × D)."""

    name: str
    module: nn.Module
    source: Tensor


@dataclass
class Surroundings:
    """What the modules around a call did: the linear layers and norms before it, the vectors that the attention module
    owns itself and may add (DeBERTa's q_bias), the cosines and sines given to it, and afterwards the linear layer that
    its merged head outputs went into; `after` are linear layers that ran while it was not known yet."""

    linears: tuple[Projected, ...] = ()
    norms: tuple[nn.Module, ...] = ()
    rotations: tuple[tuple[Tensor, Tensor], ...] = ()
    biases: tuple[Tensor, ...] = ()
    after: list[Projected] = field(default_factory=list)
    output: nn.Module | None = None
    output_name: str = ""


@dataclass(frozen=True)
class Recorded:
    """One attention call exactly as its numbers entered the dot product.

    query B × H × N × K, key B × Hkv × M × K, value B × Hkv × M × V. `mask` is the model's own (bool, or a float that
    is added), `bias` what is added beside it, both broadcastable to B × H × N × M; `causal` says that the backend
    itself hides later keys. `sinks` is one number per head, or broadcastable to B × H × N × 1. `tier` is 1 for a call
    through the attention interface, 2 for one found by following tensors, 3 if only the model's own `weights`
    (B × H × N × M) are known; q, k and v then have no dimensions (K = V = 0). `sample` is a few rows of the model's own
    head outputs, to check a recomputation with: the rows, and B × rows × H × V. `turn` counts the runs of the module,
    the one of this call included; 0 where that is not known.
    """

    name: str
    module: nn.Module | None
    query: Tensor
    key: Tensor
    value: Tensor
    scaling: float
    mask: Tensor | None = None
    bias: Tensor | None = None
    causal: bool = False
    softcap: float | None = None
    sinks: Tensor | None = None
    window: int | None = None
    tier: int = 1
    around: Surroundings = field(default_factory=Surroundings)
    weights: Tensor | None = None
    sample: tuple[Tensor, Tensor] | None = None
    notes: tuple[str, ...] = ()
    turn: int = 0


def read_call(
    name: str,
    module: nn.Module,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    options: Mapping[str, Any],
    around: Surroundings | None = None,
) -> Recorded:
    """A call of an attention function as transformers makes it; `options` are its keywords, and "sdpa": whether the
    function is torch's own, which hides later keys by itself."""
    scaling, sinks = options.get("scaling"), options.get("s_aux", options.get("sinks"))
    flag = options.get("is_causal")
    causal = getattr(module, "is_causal", True) if flag is None else flag
    return Recorded(
        name,
        module,
        owned(q),
        owned(k),
        owned(v),
        scaling=q.shape[-1] ** -0.5 if scaling is None else float(scaling),
        mask=mask,
        bias=options.get("position_bias"),
        causal=bool(options.get("sdpa") and mask is None and q.shape[2] > 1 and causal),
        softcap=options.get("softcap"),
        sinks=getattr(module, "sinks", None) if sinks is None else sinks,
        window=options.get("sliding_window"),
        around=Surroundings() if around is None else around,
    )


def owned(tensor: Tensor) -> Tensor:
    """The tensor without its history, and without a larger buffer that it is a view of: keeping a slice of a fused
    projection would keep all of it."""
    kept = tensor.detach()
    whole = kept.untyped_storage().nbytes()
    return kept.clone() if whole > 2 * kept.numel() * kept.element_size() else kept


def sample_of(merged: Tensor, count: int = 4) -> tuple[Tensor, Tensor]:
    """Some rows of B × N × H × V, spread over the tokens."""
    rows = torch.linspace(0, merged.shape[1] - 1, min(count, merged.shape[1])).round().long()
    return rows, merged.detach()[:, rows].clone()
