"""The outputs of all heads of a call at once, for what is not taken apart cell by cell."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from models.pretrained import masking
from models.pretrained.call.call_in_layer import CallInLayer


def all_outputs(call: CallInLayer, batch: int) -> Tensor:
    """H × N × V in float32, what goes into W_O; with torch's fused kernel where that can do what the model does."""
    heads = range(call.heads)
    if call.recorded.softcap is not None or call.recorded.sinks is not None:
        return torch.stack([call.written_output(head, batch) for head in heads])
    query, key, value = (
        torch.stack([of(h, batch) for h in heads]) for of in (call.query, call.key, call.value)
    )
    mask = _mask(call, batch)
    mixed = functional.scaled_dot_product_attention(
        query[None], key[None], value[None], attn_mask=mask, scale=call.recorded.scaling
    )[0]
    if mask is not None:  # a row that sees nothing: kernels differ
        mixed = mixed.masked_fill((mask == -torch.inf).all(-1)[..., None], 0.0)
    gate = call.gate(batch)
    return mixed if gate is None else torch.stack([gate.apply(mixed[head], head) for head in heads])


def _mask(call: CallInLayer, batch: int) -> Tensor | None:
    """H × N × M or 1 × N × M, what is added to the scaled scores, −∞ where a key is hidden; None for nothing."""
    parts = (call.recorded.mask, call.recorded.bias)
    shared = all(part is None or part.ndim < 3 or part.shape[-3] == 1 for part in parts)
    masks = []
    for head in range(1 if shared else call.heads):
        added, seen = masking.added(call.recorded, batch, head), masking.visible(call.recorded, batch, head)
        if shared and added is None and seen is None:
            return None
        whole = torch.zeros(call.queries, call.keys) if added is None else added
        masks.append(whole if seen is None else whole.masked_fill(~seen, -torch.inf))
    return torch.stack(masks)
