"""Runs multi-head attention once and records every step as a trace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from models import steps
from models.blockwise import Looked, look
from models.masks import combine
from models.tokenizer import Tokens
from models.trace import Step, Trace

Parameters = Mapping[str, Tensor]


@dataclass(frozen=True)
class Origin:
    """Where the input came from, as far as it is known: its tokens, their vectors and positions (N × D)."""

    tokens: Tokens | None = None
    context_tokens: Tokens | None = None
    embedding: Tensor | None = None
    position: Tensor | None = None


def record_attention(
    x: Tensor,
    parameters: Parameters,
    heads: int,
    *,
    context: Tensor | None = None,
    mask: Tensor | None = None,
    padded: Tensor | None = None,
    temperature: float = 1.0,
    exact: bool = True,
    origin: Origin | None = None,
) -> Trace:
    """See `MultiHeadAttention.trace`. Raises ValueError for an x or mask of the wrong shape."""
    source = x if context is None else context
    _check(x, source, parameters, mask, temperature)
    known = origin or Origin()
    arithmetic = torch.float64 if exact else x.dtype
    source_name = "input" if context is None else "context"

    wide = {name: data.to(arithmetic) for name, data in (("input", x), (source_name, source))}
    query, key, value = (
        steps.project(wide[name], parameters[w].to(arithmetic), heads).to(x.dtype)
        for name, w in (("input", "w_q"), (source_name, "w_k"), (source_name, "w_v"))
    )
    scale = 1 / math.sqrt(query.shape[-1])
    visible = combine(mask, None if padded is None else ~padded[None, :])
    visible = None if visible is None else visible.expand(*visible.shape[:-2], len(x), len(source))  # [H] N M
    looked = look(
        query,
        key,
        value,
        visible=None if visible is None else visible.expand(heads, -1, -1),
        scale=scale,
        temperature=temperature,
        exact=exact,
    )
    concat = steps.concatenate(looked.head_output)  # N HV
    output = steps.project_output(concat.to(arithmetic), parameters["w_o"].to(arithmetic)).to(x.dtype)  # N D
    return Trace(
        (
            *_origin_steps(x, known, context),
            *_projection_steps(query, key, value, source_name),
            *_attention_steps(looked, temperature),
            Step(
                "concat", concat, ("query", "concat"), "[head 0 | … | head h − 1]", "concat", ("head_output",)
            ),
            Step("output", output, ("query", "d_model"), "concat·W_O", "output", ("concat", "w_o")),
        ),
        scale=scale,
        temperature=temperature,
        tokens=known.tokens,
        context_tokens=known.context_tokens,
        parameters=parameters,
        mask=visible,
        padded=padded,
        empty_rows=looked.empty_rows,
    )


def _projection_steps(query: Tensor, key: Tensor, value: Tensor, source: str) -> list[Step]:
    return [
        Step("query", query, ("head", "query", "d_k"), "X·W_Q", "projection", ("input", "w_q")),
        Step("key", key, ("head", "key", "d_k"), "X·W_K", "projection", (source, "w_k")),
        Step("value", value, ("head", "key", "d_v"), "X·W_V", "projection", (source, "w_v")),
    ]


def _attention_steps(looked: Looked, temperature: float) -> list[Step]:
    grid = ("head", "query", "key")
    softmax = "softmax(masked)" if temperature == 1 else f"softmax(masked / {temperature:g})"
    mixed = ("head", "query", "d_v")
    return [
        Step("scores", looked.scores, grid, "Q·Kᵀ", "dot", ("query", "key")),
        Step("scaled", looked.scaled, grid, "Q·Kᵀ / √d_k", "scale", ("scores",)),
        Step("masked", looked.masked, grid, "Q·Kᵀ / √d_k + M", "mask", ("scaled",)),
        Step("weights", looked.weights, grid, softmax, "softmax", ("masked",)),
        Step("head_output", looked.head_output, mixed, "weights·V", "mix", ("weights", "value")),
    ]


def _check(
    x: Tensor, source: Tensor, parameters: Parameters, mask: Tensor | None, temperature: float
) -> None:
    d_model = parameters["w_q"].shape[0]
    for name, data in (("x", x), ("context", source)):
        if data.ndim != 2 or data.shape[1] != d_model or data.shape[0] < 1:
            raise ValueError(f"{name} of shape tokens × {d_model} was expected, received {tuple(data.shape)}")
    grid = (x.shape[0], source.shape[0])
    if mask is not None and (mask.dtype != torch.bool or not _broadcasts(mask.shape, grid)):
        raise ValueError(
            f"a boolean mask that fits {grid[0]} × {grid[1]} was expected, received {mask.dtype} {tuple(mask.shape)}"
        )
    if not temperature > 0:
        raise ValueError(f"a temperature above 0 was expected, received {temperature}")


def _broadcasts(shape: torch.Size, grid: tuple[int, int]) -> bool:
    last = tuple(shape)[-2:]
    return len(shape) in (2, 3) and all(size in (1, full) for size, full in zip(last, grid, strict=True))


def _origin_steps(x: Tensor, origin: Origin, context: Tensor | None) -> list[Step]:
    """Where X came from: as much of it as is known."""
    rows = ("token", "d_model")
    found: list[Step] = []
    if origin.tokens is not None:
        ids = torch.tensor(origin.tokens.ids, dtype=torch.int64)
        found.append(Step("tokens", ids, ("token",), "text → tokens", "lookup"))
    if origin.embedding is not None:
        found.append(
            Step("embedding", origin.embedding, rows, "E[id]", "lookup", ("tokens",) if found else ())
        )
    if origin.position is not None:
        found.append(Step("position", origin.position, rows, "PE(pos, i)", "sinusoidal"))
    made_of = tuple(
        name
        for name, part in (("embedding", origin.embedding), ("position", origin.position))
        if part is not None
    )
    operation = {0: "lookup", 1: "copy", 2: "sum"}[len(made_of)]
    found.append(Step("input", x, rows, "E + P" if len(made_of) == 2 else "X", operation, made_of))
    if context is not None:
        found.append(Step("context", context, rows, "X_context", "lookup"))
    return found
