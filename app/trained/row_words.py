"""What is said about rows of weights: what a query looks at, the sink's share, rows that are no numbers. HTML."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
import torch
from torch import Tensor

from app.i18n import t
from app.trained.headline import spoken
from app.trained.shown import Axis, Floats
from app.trained.stack import Stack
from models.head_roles import call_shares
from models.pretrained import AttentionCall
from models.pretrained.labels import ModelTokens

NAMED = 6  # keys in the list of what a query looks at
LEAST = 0.005  # weights that are named
WORTH = 0.1  # shares of attention that are worth a word


def strongest(weights: Floats, stack: Stack, rows: Axis, cols: Axis, place: int) -> str:
    """ "it looks at animal 0.68, [CLS] 0.10 …": what the query at a place looks at most."""
    token = f'<b class="am-q">{spoken(rows.labels[place])}</b>'
    row = weights[place]
    if not np.isfinite(row).all():
        return t("trained.row_not_finite", token=token)
    order = sorted(enumerate(row), key=lambda pair: -pair[1])[:NAMED]
    parts = [
        f'<span class="am-k">{spoken(cols.labels[j])}</span> <b>{weight:.2f}</b>'
        for j, weight in order
        if weight >= LEAST
    ]
    sinks = sink_shares(stack.call, stack.head, rows)
    if sinks is not None and sinks[place] >= LEAST:
        parts.append(f"{escape(t('trained.sink_name'))} <b>{sinks[place]:.2f}</b>")
    found = " ".join(f"<span>{part}</span>" for part in parts)
    return f"{t('trained.looks_at', token=token)} {found or escape(t('trained.looks_at_nothing'))}"


def sink_shares(call: AttentionCall, head: int, rows: Axis) -> Floats | None:
    """What each row that is shown gives to the model's sink (a word what its tokens give on average); None for a model
    without sinks."""
    mass = call.sink_mass(head)
    if mass is None:
        return None
    shown = [float(mass[list(rows.groups[group])].mean()) for group in rows.kept]
    return np.clip(np.array(shown, dtype=np.float32), 0, 1)


def averages(call: AttentionCall, head: int, tokens: Mapping[str, ModelTokens]) -> list[str]:
    """Sentences on where a head's attention goes on average; that shares overlap is said where there are several."""
    weights = call.weights(head)
    broken = _rows_not_finite(weights)
    if broken:
        return [t("trained.rows_not_finite", count=broken, total=len(weights))]
    scores = call_shares(call, weights[None], tokens)
    parts = [
        f"{t(f'trained.kind.{kind}')} {float(score):.2f}"
        for kind, score in scores.items()
        if float(score) >= WORTH
    ]
    sentences = [t("trained.doing", parts=" · ".join(parts))] if parts else []
    if len(parts) > 1:
        sentences.append(t("trained.doing_overlap"))
    if (mass := call.sink_mass(head)) is not None:
        sentences.append(t("trained.doing_sink", share=f"{float(mass.mean()):.2f}"))
    return sentences


def _rows_not_finite(weights: Tensor) -> int:
    return int((~torch.isfinite(weights).all(-1)).sum())
