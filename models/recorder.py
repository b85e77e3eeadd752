"""Runs multi-head attention once and records every step as a trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from models import steps
from models.masks import combine
from models.tokenizer import Tokens
from models.trace import Step, Trace

Parameters = Mapping[str, Tensor]


def record_attention(
    x: Tensor,
    parameters: Parameters,
    heads: int,
    *,
    context: Tensor | None = None,
    mask: Tensor | None = None,
    tokens: Tokens | None = None,
    context_tokens: Tokens | None = None,
    embedding: Tensor | None = None,
    position: Tensor | None = None,
    padded: Tensor | None = None,
    temperature: float = 1.0,
    exact: bool = True,
) -> Trace:
    """See `MultiHeadAttention.trace`. Raises ValueError for an x or mask of the wrong shape."""
    source = x if context is None else context
    _check(x, source, parameters, mask, temperature)
    run = _exactly if exact else _plainly
    origin = _origin_steps(x, tokens, embedding, position, context)
    source_name = "input" if context is None else "context"

    query, key, value = (
        run(steps.project, data, parameters[w], heads)
        for data, w in ((x, "w_q"), (source, "w_k"), (source, "w_v"))
    )
    d_k = query.shape[-1]
    scale = 1 / math.sqrt(d_k)
    scores = run(steps.dot_products, query, key)  # H N M
    scaled = run(steps.scale_scores, scores, scale)  # H N M
    visible = combine(mask, None if padded is None else ~padded[None, :])
    visible = None if visible is None else visible.expand(*visible.shape[:-2], *scaled.shape[1:])  # [H] N M
    masked = scaled if visible is None else steps.apply_mask(scaled, visible)  # H N M
    weights = run(steps.softmax, masked, temperature)  # H N M
    head_output = run(steps.mix_values, weights, value)  # H N V
    concat = steps.concatenate(head_output)  # N HV
    output = run(steps.project_output, concat, parameters["w_o"])  # N D

    grid = ("head", "query", "key")
    per_temperature = "" if temperature == 1 else f" / {temperature:g}"
    recorded = (
        *origin,
        Step("query", query, ("head", "query", "d_k"), "X·W_Q", "projection", ("input", "w_q")),
        Step("key", key, ("head", "key", "d_k"), "X·W_K", "projection", (source_name, "w_k")),
        Step("value", value, ("head", "key", "d_v"), "X·W_V", "projection", (source_name, "w_v")),
        Step("scores", scores, grid, "Q·Kᵀ", "dot", ("query", "key")),
        Step("scaled", scaled, grid, "Q·Kᵀ / √d_k", "scale", ("scores",)),
        Step("masked", masked, grid, "Q·Kᵀ / √d_k + M", "mask", ("scaled",)),
        Step("weights", weights, grid, f"softmax(masked{per_temperature})", "softmax", ("masked",)),
        Step("head_output", head_output, ("head", "query", "d_v"), "weights·V", "mix", ("weights", "value")),
        Step("concat", concat, ("query", "concat"), "[head 1 | … | head h]", "concat", ("head_output",)),
        Step("output", output, ("query", "d_model"), "concat·W_O", "output", ("concat", "w_o")),
    )
    return Trace(
        recorded,
        scale=scale,
        temperature=temperature,
        tokens=tokens,
        context_tokens=context_tokens,
        parameters=parameters,
        mask=visible,
        padded=padded,
        empty_rows=(masked == -torch.inf).all(-1),
    )


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


def _origin_steps(
    x: Tensor,
    tokens: Tokens | None,
    embedding: Tensor | None,
    position: Tensor | None,
    context: Tensor | None,
) -> list[Step]:
    """Where X came from: as much of it as is known."""
    rows = ("token", "d_model")
    found: list[Step] = []
    if tokens is not None:
        ids = torch.tensor(tokens.ids, dtype=torch.int64)
        found.append(Step("tokens", ids, ("token",), "text → tokens", "lookup"))
    if embedding is not None:
        found.append(Step("embedding", embedding, rows, "E[id]", "lookup", ("tokens",) if found else ()))
    if position is not None:
        found.append(Step("position", position, rows, "PE(pos, i)", "sinusoidal"))
    made_of = tuple(
        name for name, part in (("embedding", embedding), ("position", position)) if part is not None
    )
    operation = {0: "lookup", 1: "copy", 2: "sum"}[len(made_of)]
    found.append(Step("input", x, rows, "E + P" if len(made_of) == 2 else "X", operation, made_of))
    if context is not None:
        found.append(Step("context", context, rows, "X_context", "lookup"))
    return found


def _plainly(function: Callable[..., Tensor], *arguments: Tensor | float) -> Tensor:
    return function(*arguments)


def _exactly(function: Callable[..., Tensor], *arguments: Tensor | float) -> Tensor:
    """Compute in float64, round once to the dtype of the first argument."""
    wide = [a.double() if isinstance(a, Tensor) else a for a in arguments]
    first = arguments[0]
    assert isinstance(first, Tensor)
    return function(*wide).to(first.dtype)
