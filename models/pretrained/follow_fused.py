"""Tier 2: attention in one operation, called by a model directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.pretrained.recording import Projected, Recorded, Surroundings, owned
from models.pretrained.session import Session

Kernel = Callable[[Session, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
NOTE = "Found by following tensors: this model calls {} itself."


def _sdpa(session: Session, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    out = func(*args, **kwargs)
    with session.surviving(session.current):
        _hear_sdpa(session, args, kwargs, out)
    return out


def _hear_sdpa(session: Session, args: tuple[Any, ...], kwargs: dict[str, Any], out: Tensor) -> None:
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    query, key, value = given["query"], given["key"], given["value"]
    if query.ndim == 4:
        scale = given.get("scale")
        call = Recorded(
            session.current,
            session.module(session.current),
            owned(query),
            owned(key),
            owned(value),
            scaling=query.shape[-1] ** -0.5 if scale is None else float(scale),
            mask=given.get("attn_mask"),
            causal=bool(given.get("is_causal", False)),
            tier=2,
            around=session.surroundings(session.current),
            notes=(NOTE.format("scaled_dot_product_attention"),),
        )
        session.add(call, out.transpose(1, 2))


def _multi_head(
    session: Session, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    out = func(*args, **kwargs)
    with session.surviving(session.current):
        _hear_multi_head(session, args, kwargs)
    return out


def _hear_multi_head(session: Session, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """nn.MultiheadAttention: its q, k and v are computed again, from its weights."""
    names = ("query", "key", "value", "embed_dim_to_check", "num_heads", "in_proj_weight", "in_proj_bias")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    parts = _parts(given)
    query, key, value = _projected(given, parts)
    call = Recorded(
        session.current,
        session.module(session.current),
        query,
        key,
        value,
        scaling=query.shape[-1] ** -0.5,
        mask=_combined(given, query.shape[0], query.shape[1]),
        tier=2,
        around=_surroundings(session, given, parts),
        notes=(NOTE.format("nn.MultiheadAttention"),),
    )
    session.add(call, None)


class Part(nn.Module):
    """A part of a fused projection, as a layer of its own: x·Wᵀ + b."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight.detach(), None if bias is None else bias.detach()


def _surroundings(session: Session, given: dict[str, Any], parts: list[Part]) -> Surroundings:
    """The projections and W_O are parts of the module, whose weights are used without calling them."""
    inputs = (given["query"], given["key"], given["value"])
    linears = tuple(
        Projected(f"{session.current}.in_proj", part, x.detach().transpose(0, 1))
        for part, x in zip(parts, inputs, strict=True)
    )
    around = Surroundings(linears)
    output = getattr(session.module(session.current), "out_proj", None)
    if isinstance(output, nn.Linear):
        around.output, around.output_name = output, f"{session.current}.out_proj"
    return around


def _parts(given: dict[str, Any]) -> list[Part]:
    if not given.get("use_separate_proj_weight", False):
        weights = given["in_proj_weight"].chunk(3)
    else:
        weights = tuple(given[f"{name}_proj_weight"] for name in "qkv")
    biases = (None,) * 3 if given.get("in_proj_bias") is None else given["in_proj_bias"].chunk(3)
    return [Part(weight, bias) for weight, bias in zip(weights, biases, strict=True)]


def _projected(given: dict[str, Any], parts: list[Part]) -> list[Tensor]:
    """B × H × N × K each, from N × B × D."""
    inputs = (given["query"], given["key"], given["value"])
    made = [functional.linear(x, p.weight, p.bias) for x, p in zip(inputs, parts, strict=True)]  # N B D
    return [x.detach().reshape(*x.shape[:2], given["num_heads"], -1).permute(1, 2, 0, 3) for x in made]


def _combined(given: dict[str, Any], batch: int, heads: int) -> Tensor | None:
    """The mask in SDPA's sense: here True means hidden."""
    mask: Tensor | None = given.get("attn_mask")
    padding: Tensor | None = given.get("key_padding_mask")
    if mask is not None:
        mask = ~mask if mask.dtype == torch.bool else mask
        mask = mask.reshape(batch, heads, *mask.shape[1:]) if mask.ndim == 3 else mask[None, None]
    if padding is None:
        return mask
    seen = (~padding if padding.dtype == torch.bool else padding > HIDES)[:, None, None]
    if mask is None:
        return seen
    return mask & seen if mask.dtype == torch.bool else mask.masked_fill(~seen, -torch.inf)


HIDES = -1e4
KERNELS: dict[str, Kernel] = {
    "scaled_dot_product_attention": _sdpa,
    "multi_head_attention_forward": _multi_head,
}
