"""Why scores are divided by √d_k, measured: random queries meet random keys, and softmax passes a gradient back.

Nothing here is a formula for the result: scores are dot products of drawn vectors, gradients come from autograd. What
theory says about the spread (√d_k without scaling, 1 with it) is `expected_spread`, to be compared.
Source: Vaswani et al. 2017, section 3.2.1, footnote 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from models import steps

QUERIES = 256  # as many rows of softmax are measured for every d_k


@dataclass(frozen=True)
class Draws:
    """Random vectors with independent standard normal entries: `query` R × K, `key` R × M × K (each query has keys of
    its own), `value` R × M (each key offers one number)."""

    query: Tensor
    key: Tensor
    value: Tensor

    @property
    def d_k(self) -> int:
        return self.query.shape[-1]


class Typical(NamedTuple):
    """The middle of R numbers, with the quarter below and the quarter above it."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Measured:
    """What was found for one d_k and one scale. `spread` is the standard deviation of all scores (after scaling);
    the others are per row of softmax: `largest` weight, `entropy` in nats, the Frobenius norm of its `jacobian`, and
    the length of the `gradient` that reaches q from the row's output."""

    d_k: int
    spread: float
    largest: Typical
    entropy: Typical
    jacobian: Typical
    gradient: Typical


def draw(d_k: int, keys: int, seed: int, queries: int = QUERIES) -> Draws:
    """The vectors for one d_k, the same for the same seed: the first d_k numbers of each vector of a longer draw, so
    that turning d_k lengthens vectors and does not change them for others. Raises ValueError for sizes below 1."""
    if min(d_k, keys, queries) < 1:
        raise ValueError(f"sizes of at least 1 were expected, received {d_k=}, {keys=}, {queries=}")

    def normal(stream: int, *shape: int) -> Tensor:
        generator = np.random.Generator(
            np.random.PCG64([seed, keys, stream])
        )  # named: numpy may change its default
        return torch.from_numpy(generator.standard_normal(shape, dtype=np.float32))

    # dimensions come first: what is drawn for the first of them does not depend on how many follow
    both = normal(0, d_k, queries, 1 + keys).permute(1, 2, 0).contiguous()  # R 1+M K
    return Draws(both[:, 0], both[:, 1:], normal(1, queries, keys))


def dot_product_rows(draws: Draws, scale: float) -> Tensor:
    """q·k × scale of every query with its own keys: R × M."""
    scores = steps.dot_products(draws.query[:, None], draws.key)[:, 0]  # R M
    return steps.scale_scores(scores, scale)


def measure(draws: Draws, scale: float, temperature: float = 1.0) -> Measured:
    """Spread, softmax and gradients of these draws, their scores multiplied by `scale` (1, or 1/√d_k)."""
    scaled = dot_product_rows(draws, scale).double()  # R M: a saturated row has gradients far below 1e-7
    weights = steps.softmax(scaled, temperature)  # R M
    return Measured(
        d_k=draws.d_k,
        spread=float(scaled.std()),
        largest=_typical(weights.amax(-1)),
        entropy=_typical(torch.special.entr(weights).sum(-1)),
        jacobian=_typical(softmax_jacobian(weights, temperature).flatten(-2).norm(dim=-1)),
        gradient=_typical(query_gradient(draws, scale, temperature).norm(dim=-1)),
    )


def softmax_jacobian(weights: Tensor, temperature: float = 1.0) -> Tensor:
    """∂weights/∂scores = (diag(w) − w·wᵀ) / T for each row w (… M): … M × M. It is 0 where one weight is 1."""
    return (torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]) / temperature


def query_gradient(draws: Draws, scale: float, temperature: float = 1.0) -> Tensor:
    """∂output/∂q by autograd, where each row's output is weights · value, one number: R × K."""
    query = draws.query.clone().requires_grad_()
    scores = dot_product_rows(Draws(query, draws.key, draws.value), scale).double()  # R M
    output = (steps.softmax(scores, temperature) * draws.value).sum(-1)  # R
    (gradient,) = torch.autograd.grad(output.sum(), query)  # rows do not touch each other
    return gradient


def expected_spread(d_k: int, scale: float) -> float:
    """What theory says: a sum of d_k products, each of variance 1, has the standard deviation √d_k."""
    return math.sqrt(d_k) * scale


def typical_row(sizes: Sequence[int], keys: int, seed: int) -> int:
    """The query to look at at every d_k: the one whose largest weight without scaling lies nearest to the middle of all
    queries, over all these sizes."""
    away = torch.zeros(QUERIES)
    for d_k in sizes:
        largest = steps.softmax(dot_product_rows(draw(d_k, keys, seed), 1.0)).amax(-1)  # R
        away += (largest.argsort().argsort() - QUERIES // 2).abs()
    return int(away.argmin())


def _typical(values: Tensor) -> Typical:
    low, middle, high = torch.quantile(values.double(), torch.tensor([0.25, 0.5, 0.75]).double()).tolist()
    return Typical(low, middle, high)
