"""Which keys a query sees and what is added to its scores, for one head of a recorded call."""

from __future__ import annotations

import torch
from torch import Tensor

from models.pretrained.recording import Recorded


def visible(call: Recorded, batch: int, head: int) -> Tensor | None:
    """N × M, True where the query may look at the key; None where it may look everywhere."""
    rows, columns = call.query.shape[2], call.key.shape[2]
    found: Tensor | None = None
    if call.causal:  # the backend counts from the upper left corner, as SDPA does
        found = torch.ones(rows, columns, dtype=torch.bool).tril()
    for part in (call.mask, call.bias):
        if part is None:
            continue
        seen = _of_head(part, batch, head, columns)
        seen = seen if seen.dtype == torch.bool else seen > torch.finfo(seen.dtype).min / 2
        found = seen if found is None else found & seen
    if found is None or bool(found.all()):
        return None
    return found.expand(rows, columns)


def added(call: Recorded, batch: int, head: int) -> Tensor | None:
    """N × M in float32, what is added to the scores of visible keys; None if that is nothing."""
    rows, columns = call.query.shape[2], call.key.shape[2]
    total: Tensor | None = None
    for part in (call.bias, call.mask):
        if part is None or part.dtype == torch.bool:
            continue
        finite = _of_head(part, batch, head, columns)
        finite = finite.masked_fill(finite <= torch.finfo(finite.dtype).min / 2, 0.0).float()
        if bool(finite.any()):
            total = finite if total is None else total + finite
    return None if total is None else total.expand(rows, columns)


def sink(call: Recorded, batch: int, head: int) -> Tensor | None:
    """N, the extra number in each row's softmax; None without a sink."""
    rows = call.query.shape[2]
    if call.sinks is None:
        return None
    sinks = call.sinks.detach().float()
    if sinks.ndim == 4:  # 1 × H × 1 × 1 or B × H × N × 1
        return _pick(sinks, batch, head)[:, 0].expand(rows)
    return sinks.reshape(-1)[head].expand(rows)


def _of_head(part: Tensor, batch: int, head: int, columns: int) -> Tensor:
    part = part.detach()
    part = part.reshape((1,) * (4 - part.ndim) + tuple(part.shape)) if part.ndim < 4 else part
    return _pick(part, batch, head)[..., :columns]


def _pick(tensor: Tensor, batch: int, head: int) -> Tensor:
    return tensor[batch if tensor.shape[0] > 1 else 0, head if tensor.shape[1] > 1 else 0]
