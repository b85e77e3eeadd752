"""What cross-attention says about which word goes with which, and the strongest link of a self-attention. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.pretrained import AttentionCall


@dataclass(frozen=True)
class Pair:
    """A target token and the source token that it is written from, with the weight between them and their places."""

    written: str
    source: str
    weight: float
    row: int
    col: int


def alignment(
    weights: Tensor,
    written: Sequence[str],
    sources: Sequence[str],
    special: Sequence[bool] = (),
    most: int = 6,
) -> list[Pair]:
    """The `most` strongest pairs of cross-attention weights N × M, in the order of the target.

    Row t is what was looked at while `written[t]` was being written. Rows whose strongest key is a special token, or
    whose weights are not numbers, are passed over; so are punctuation marks where there are words.
    """
    pairs = []
    for row, label in enumerate(written[: weights.shape[0]]):
        value, col = weights[row].max(0)
        at = int(col)
        if float(value) > 0 and not (at < len(special) and special[at]):
            pairs.append(Pair(label, sources[at], float(value), row, at))
    pairs = [pair for pair in pairs if any(map(str.isalnum, pair.written))] or pairs
    strongest = sorted(pairs, key=lambda pair: -pair.weight)[:most]
    return sorted(strongest, key=lambda pair: pair.row)


def strongest_link(weights: Tensor, special: Sequence[bool] = ()) -> tuple[int, int, float] | None:
    """Row, column and weight of the largest of N × N weights between two different tokens. The first token and special
    ones are set aside as keys: they take much weight in many heads and mean little. None where nothing is left."""
    left = weights.nan_to_num().clone()
    left.fill_diagonal_(0)
    left[:, 0] = 0
    if len(special) == left.shape[1]:
        left[:, torch.tensor(special)] = 0
    row, col = divmod(int(left.argmax()), left.shape[1])
    weight = float(left[row, col])
    return (row, col, weight) if weight > 0 else None


def coverage(weights: Tensor, special: Sequence[bool] = ()) -> Tensor:
    """How well heads (H × N × M cross-attention) align words: for each source token the largest weight that any row
    gives to it, on average over the source tokens that are not special. 1 for a perfect alignment, about 1/M for a head
    that looks at one token only or evenly at all; one number per head."""
    words = [j for j in range(weights.shape[-1]) if not (j < len(special) and special[j])]
    if not words or not weights.shape[-2]:
        return weights.new_zeros(weights.shape[0])
    return weights.nan_to_num()[..., words].amax(-2).mean(-1)


def clearest(calls: Sequence[AttentionCall], special: Sequence[bool] = ()) -> tuple[int, int, float]:
    """Layer, head and coverage of the head of a cross-attention that aligns best."""
    found = []
    for call in calls:
        scores = coverage(torch.stack([call.weights(head) for head in range(call.heads)]), special)
        head = int(scores.argmax())
        found.append((float(scores[head]), call.layer, head))
    score, layer, head = max(found, key=lambda best: best[0])
    return layer, head, score
