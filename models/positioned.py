"""Attention under a positional scheme: the same tokens and weights, told their order in one way or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from models import steps
from models.attention import scaled_dot_product_attention
from models.embedding import seeded_matrix
from models.masks import combine
from models.positions import sinusoidal
from models.relative import alibi, relative_bias, rotary
from models.trace import Trace

SchemeName = Literal["none", "sinusoidal", "rotary", "alibi", "t5"]


@dataclass(frozen=True)
class Scheme:
    """How positions are told. `base` is that of the sinusoidal and rotary schemes; `buckets`, `furthest` and
    `both_ways` are those of `models.relative.relative_buckets`, whose biases are drawn from `seed`; the first token
    stands at position `start`."""

    name: SchemeName
    base: float = 10_000.0
    buckets: int = 32
    furthest: int = 128
    both_ways: bool = True
    seed: int = 0
    start: int = 0


@dataclass(frozen=True)
class Placed:
    """Attention under a scheme, float64. `query` and `key` (H × N × K) are turned where the scheme turns them;
    `scores` (H × N × M) are scaled and biased but not masked; `output` is N × D."""

    query: Tensor
    key: Tensor
    scores: Tensor
    weights: Tensor
    output: Tensor


@torch.no_grad()
def attend(
    embedding: Tensor,
    trace: Trace,
    scheme: Scheme,
    *,
    causal: Tensor | None = None,
    padded: Tensor | None = None,
) -> Placed:
    """The words' vectors `embedding` (N × D, without positions) through the weights of `trace` under `scheme`.

    `causal` (N × N, bool, True = may look) and `padded` (N, bool) are what is hidden. Everything is computed in
    float64, so that what is equal on paper is equal to about 1e-15.
    """
    w = {name: matrix.double() for name, matrix in trace.parameters.items()}
    count = len(embedding)
    x = embedding.double()
    if scheme.name == "sinusoidal":
        everywhere = sinusoidal(scheme.start + count, x.shape[1], base=scheme.base, dtype=torch.float64)
        x = steps.add_positions(x, everywhere[scheme.start :])  # N D
    q, k, v = (steps.project(x, w[name], trace.heads) for name in ("w_q", "w_k", "w_v"))  # H N K
    if scheme.name == "rotary":
        places = torch.arange(scheme.start, scheme.start + count)
        q, k = (turned(vectors, places, base=scheme.base) for vectors in (q, k))  # H N K
    mask = combine(causal, None if padded is None else ~padded[None, :])
    found = scaled_dot_product_attention(
        q, k, v, mask=mask, bias=bias(scheme, trace.heads, count), temperature=trace.temperature
    )
    output = steps.project_output(steps.concatenate(found.output), w["w_o"])  # N D
    return Placed(q, k, found.biased, found.weights, output)


def turned(vectors: Tensor, places: Tensor, *, base: float = 10_000.0) -> Tensor:
    """Queries or keys (… N × K) turned by their places; of an odd K the last dimension has no partner and stays.

    Models that turn only part of the dimensions (GPT-J, GPT-NeoX) leave the rest as it is in the same way.
    """
    even = vectors.shape[-1] // 2 * 2
    if not even:
        return vectors
    return torch.cat((rotary(vectors[..., :even], places, base=base), vectors[..., even:]), dim=-1)  # … N K


def bias(scheme: Scheme, heads: int, queries: int, keys: int | None = None) -> Tensor | None:
    """What the scheme adds to the scores (H × N × M, float64), None if that is nothing."""
    if scheme.name == "alibi":
        return alibi(heads, queries, keys, dtype=torch.float64)
    if scheme.name == "t5":
        return relative_bias(
            bias_table(scheme, heads), queries, keys, furthest=scheme.furthest, both_ways=scheme.both_ways
        )
    return None


def bias_table(scheme: Scheme, heads: int) -> Tensor:
    """Numbers in place of learned ones (buckets × H, float64), the same for the same seed."""
    return seeded_matrix(scheme.buckets, heads, seed=scheme.seed, name="relative_bias", std=1.0).double()


def permuted(tensor: Tensor, order: Sequence[int]) -> Tensor:
    """The rows of `tensor` in another order: row p of the result is row order[p]."""
    return tensor[torch.tensor(list(order), dtype=torch.int64)]
