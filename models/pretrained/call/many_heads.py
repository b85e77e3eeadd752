"""The weights of several heads of a call at once: those of `AttentionCall.weights`, for a fraction of the cost.

One matrix product per key–value head, the mask read once, softmax where the scores stand. A sum's order may be another
one than in `weights`, so results differ in the last digits.
"""

from __future__ import annotations

from itertools import groupby

import torch
from torch import Tensor

from models.pretrained import masking
from models.pretrained.call.recorded_call import RecordedCall


def weights_of_heads(call: RecordedCall, heads: range, batch: int = 0) -> Tensor:
    """H × N × M in float32 for these heads. A row that sees nothing is 0."""
    kept = call.recorded.weights
    if kept is not None:
        return kept[batch if kept.shape[0] > 1 else 0, heads.start : heads.stop].float()
    scores = _scores(call, heads, batch)
    _hide(scores, call, heads, batch)
    sinks = _sinks(call, heads, batch)
    return softmax_in_place(scores) if sinks is None else _with_sinks(scores, sinks)


def softmax_in_place(scores: Tensor) -> Tensor:
    """`models.steps.softmax`, in the memory of the scores."""
    hidden = scores.amax(-1) == -torch.inf  # … N
    torch.softmax(scores, -1, out=scores)
    return scores.masked_fill_(hidden[..., None], 0.0)


def _scores(call: RecordedCall, heads: range, batch: int) -> Tensor:
    """Scaled and capped dot products, H × N × M."""
    scores = torch.empty(len(heads), call.queries, call.keys)
    for _, group in groupby(enumerate(heads), lambda pair: call.kv_head(pair[1])):
        members = list(group)
        key = call.key(members[0][1], batch)
        queries = torch.stack([call.query(head, batch) for _, head in members])  # G N K
        torch.matmul(queries, key.T, out=scores[members[0][0] : members[-1][0] + 1])
    scores *= call.recorded.scaling
    if (cap := call.recorded.softcap) is not None:
        scores.div_(cap).tanh_().mul_(cap)
    return scores


def _hide(scores: Tensor, call: RecordedCall, heads: range, batch: int) -> None:
    """Add biases and put −∞ where a key is hidden; what holds for all heads is read once."""
    parts = [part for part in (call.recorded.mask, call.recorded.bias) if part is not None]
    same = all(part.ndim < 3 or part.shape[-3] == 1 for part in parts)
    for place, head in [(slice(None), heads.start)] if same else list(enumerate(heads)):
        if (bias := masking.added(call.recorded, batch, head)) is not None:
            scores[place] += bias
        if (seen := masking.visible(call.recorded, batch, head)) is not None:
            scores[place].masked_fill_(~seen, -torch.inf)


def _sinks(call: RecordedCall, heads: range, batch: int) -> Tensor | None:
    """H × N, the extra number in each row's softmax."""
    found = [masking.sink(call.recorded, batch, head) for head in heads]
    known = [sink for sink in found if sink is not None]
    return torch.stack(known) if known else None


def _with_sinks(scores: Tensor, sinks: Tensor) -> Tensor:
    return softmax_in_place(torch.cat((scores, sinks[..., None]), -1))[..., :-1]
