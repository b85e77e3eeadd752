"""Tier 3: the attention weights a model returns itself, where q, k and v cannot be seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from models.pretrained.recording import Recorded

FIELDS = (
    ("attentions", ""),
    ("encoder_attentions", "encoder"),
    ("decoder_attentions", "decoder"),
    ("cross_attentions", "decoder.cross_attention"),
)


def recorded_weights(model: nn.Module, inputs: Mapping[str, Any]) -> list[Recorded]:
    """One call per matrix that `model(…, output_attentions=True)` returns; none if it returns none or refuses."""
    try:
        output = model(**inputs, output_attentions=True)
    except (TypeError, ValueError):  # a model that does not know the option
        return []
    found = []
    for field, path in FIELDS:
        for weights in getattr(output, field, None) or ():
            if isinstance(weights, Tensor) and weights.ndim == 4:
                found.append(_recorded(path, weights.detach()))
    return found


def _recorded(path: str, weights: Tensor) -> Recorded:
    rows, columns = (weights.new_zeros(*weights.shape[:2], size, 0) for size in weights.shape[2:])
    note = "Only the weights that the model returns itself are known, not its queries, keys and values."
    return Recorded(path, None, rows, columns, columns, scaling=1.0, tier=3, weights=weights, notes=(note,))
