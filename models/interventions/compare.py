"""Two outputs of a model side by side: before a change and after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from models.rounding import ROUNDING

BIT = math.log(2)
# What two runs of the same float32 model may differ by without a cause: logits of size 20 are rounded by about 2·10⁻⁴,
# vectors by 10⁻⁵ of their length, which turns them by half the square of that.
NOISE_BITS = 20 * ROUNDING[torch.float32] / BIT
NOISE_TURN = ROUNDING[torch.float32] ** 2 / 2


@dataclass(frozen=True)
class Candidate:
    """A token that a model may predict: its probability and its rank (0 is the likeliest), before and after."""

    token: int
    before: float
    after: float
    rank_before: int
    rank_after: int
    bits: float  # log2(after / before): above 0 it has become likelier

    @property
    def rise(self) -> int:
        """How many ranks it has risen."""
        return self.rank_before - self.rank_after


@dataclass(frozen=True)
class Comparison:
    """`candidates` are the likeliest tokens before and those after, likeliest before first; `divergence` is the
    Kullback–Leibler divergence Σ p·log2(p/q) of after (q) from before (p), in bits: 0 if nothing has changed."""

    candidates: tuple[Candidate, ...]
    divergence: float

    @property
    def top_before(self) -> Candidate:
        return min(self.candidates, key=lambda candidate: candidate.rank_before)

    @property
    def top_after(self) -> Candidate:
        return min(self.candidates, key=lambda candidate: candidate.rank_after)


def compare(before: Tensor, after: Tensor, *, most: int = 5, watched: int | None = None) -> Comparison:
    """Logits (A) before and after. The `most` likeliest of both are candidates, and the token `watched`."""
    p, q = log_probabilities(before), log_probabilities(after)
    ranks = [ranking(before), ranking(after)]
    tokens = [*order_of(before)[:most].tolist(), *order_of(after)[:most].tolist()]
    if watched is not None:
        tokens.append(watched)
    chosen = sorted(dict.fromkeys(tokens), key=lambda token: int(ranks[0][token]))
    candidates = tuple(
        Candidate(
            token,
            math.exp(float(p[token])),
            math.exp(float(q[token])),
            int(ranks[0][token]),
            int(ranks[1][token]),
            _bits(float(p[token]), float(q[token])),
        )
        for token in chosen
    )
    return Comparison(candidates, divergence(p, q))


def log_probabilities(logits: Tensor) -> Tensor:
    """Natural logarithms of the probabilities (… A), in float64."""
    return logits.double().log_softmax(-1)


def order_of(logits: Tensor) -> Tensor:
    """Tokens (A) from the likeliest on; of equals the one with the smaller number first."""
    return logits.argsort(descending=True, stable=True)


def ranking(logits: Tensor) -> Tensor:
    """The rank (A) of every token, from 0."""
    ranks = torch.empty_like(logits, dtype=torch.long)
    ranks[order_of(logits)] = torch.arange(len(logits))
    return ranks


def divergence(p: Tensor, q: Tensor) -> float:
    """Σ p·log2(p/q) of log probabilities (A); tokens that are impossible before count 0. Never below 0."""
    terms = p.exp() * (p - q)
    return max(0.0, float(terms[p > -math.inf].sum()) / BIT)


def _bits(p: float, q: float) -> float:
    return 0.0 if p == q else (q - p) / BIT


@dataclass(frozen=True)
class Moved:
    """How far vectors have moved: `turned` is the cosine distance 1 − cos(before, after), from 0 (same direction) to 2,
    `length` the length of the difference as a share of the length before."""

    turned: Tensor
    length: Tensor


def moved(before: Tensor, after: Tensor) -> Moved:
    """Vectors … × D before and after; exactly 0 where nothing has changed."""
    before, after = before.double(), after.double()
    turned = 1 - functional.cosine_similarity(before, after, dim=-1)
    same = (before == after).all(-1)
    length = (after - before).norm(dim=-1) / before.norm(dim=-1).clamp_min(1e-12)
    return Moved(turned.clamp_min(0).masked_fill(same, 0.0), length)
