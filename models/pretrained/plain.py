"""Tier 3: the attention weights a model returns itself, where q, k and v cannot be seen."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from models.pretrained.recording import Recorded

NOTHING = 1e-6  # of attention: what a token that is hidden gets

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


def of_tokens(found: Sequence[Recorded], model: nn.Module, inputs: Mapping[str, Any]) -> list[Recorded]:
    """The weights whose rows and columns are tokens: as many as there are, and a token that is hidden is a column that
    nobody looks at. A Longformer returns distances in its place: column 0 is the token furthest to the left."""
    read, written = _lengths(inputs)
    shapes = {"": (read, read), "encoder": (read, read), "decoder": (written, written)}
    shapes["decoder.cross_attention"] = (written, read)
    fitting = [call for call in found if _fits(call.weights, shapes[call.name])]
    hidden = _with_a_hidden_token(model, inputs)
    if hidden is None or len(hidden) != len(found):
        return fitting
    at = hidden[0].shape[-1] // 2 if read is None else read // 2
    unseen = {id(call): _column_is_empty(other, at) for call, other in zip(found, hidden, strict=True)}
    return [call for call in fitting if call.name == "decoder" or unseen[id(call)]]


def _lengths(inputs: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """How many tokens are read and written; None where the model reads something else."""
    read = inputs.get("input_ids", inputs.get("inputs_embeds"))
    written = inputs.get("decoder_input_ids")
    return (None if read is None else read.shape[1]), (None if written is None else written.shape[1])


def _fits(weights: Tensor | None, shape: tuple[int | None, int | None]) -> bool:
    if weights is None:
        return False
    rows, columns = shape
    if rows is None or columns is None:
        return weights.shape[-2] == weights.shape[-1]
    return tuple(weights.shape[-2:]) == (rows, columns)


def _with_a_hidden_token(model: nn.Module, inputs: Mapping[str, Any]) -> list[Tensor] | None:
    """What the model returns when the token in the middle is padding; None for a model that knows no padding."""
    read = inputs.get("input_ids")
    if read is None or "attention_mask" not in inspect.signature(model.forward).parameters:
        return None
    given = inputs.get("attention_mask")
    mask = torch.ones_like(read) if given is None else given.clone()
    mask[:, read.shape[1] // 2] = 0
    returned = recorded_weights(model, {**inputs, "attention_mask": mask})
    return [call.weights for call in returned if call.weights is not None]


def _column_is_empty(weights: Tensor, at: int) -> bool:
    return at < weights.shape[-1] and bool(weights[..., at].abs().max() < NOTHING)


def _recorded(path: str, weights: Tensor) -> Recorded:
    rows, columns = (weights.new_zeros(*weights.shape[:2], size, 0) for size in weights.shape[2:])
    note = "Only the weights that the model returns itself are known, not its queries, keys and values."
    return Recorded(path, None, rows, columns, columns, scaling=1.0, tier=3, weights=weights, notes=(note,))
