"""The weights and the output of a head under changes. N queries, M keys, V d_v."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from models import steps
from models.interventions.change import Intervention
from models.pretrained import masking
from models.pretrained.call import AttentionCall


def changed_weights(
    call: AttentionCall, head: int, changes: Sequence[Intervention], batch: int = 0
) -> Tensor:
    """N × M in float32: the head's weights under all `changes` at once. A head that is switched off keeps its pattern:
    what is lost is its output. A sink keeps its share where an edge is blocked and has none in even attention."""
    visible = _visible(call, head, batch, blocked_edges(call, changes))
    if any(change.what == "uniform" for change in changes):
        seen = visible.float()
        return seen / seen.sum(-1, keepdim=True).clamp_min(1.0)  # N M
    scores = steps.apply_mask(call.masked_scores(head, batch), visible)  # N M
    sink = masking.sink(call.recorded, batch, head)
    if sink is None:
        return steps.softmax(scores)
    return steps.softmax(torch.cat((scores, sink[:, None]), -1))[:, :-1]


def changed_output(
    call: AttentionCall, head: int, changes: Sequence[Intervention], output: Tensor, batch: int = 0
) -> Tensor:
    """N × V: what the head hands to W_O. Rows that no change touches are those of `output`, the model's own."""
    if any(change.what == "off" for change in changes):
        return torch.zeros_like(output)
    rows = _changed_rows(call, head, changes, batch)
    if not bool(rows.any()):
        return output
    mixed = steps.mix_values(changed_weights(call, head, changes, batch)[rows], call.value(head, batch))
    changed = output.clone()
    changed[rows] = mixed.to(output.dtype)
    return changed


def blocked_edges(call: AttentionCall, changes: Sequence[Intervention]) -> Tensor:
    """N × M, True where an edge is blocked."""
    blocked = torch.zeros(call.queries, call.keys, dtype=torch.bool)
    for change in changes:
        if change.what == "edge":
            blocked[change.query, change.key] = True
    return blocked


def _changed_rows(call: AttentionCall, head: int, changes: Sequence[Intervention], batch: int) -> Tensor:
    """N, True for the queries whose weights move: those of an edge that was hidden anyway do not."""
    if any(change.what == "uniform" for change in changes):
        return torch.ones(call.queries, dtype=torch.bool)
    blocked = blocked_edges(call, changes)
    seen = call.visible(head, batch)
    return (blocked if seen is None else blocked & seen).any(-1)


def _visible(call: AttentionCall, head: int, batch: int, blocked: Tensor) -> Tensor:
    seen = call.visible(head, batch)
    return ~blocked if seen is None else seen & ~blocked
