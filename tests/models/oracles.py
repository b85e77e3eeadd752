"""Independent computations that the engine is compared with."""

from __future__ import annotations

import math

from torch import Tensor

from models.explain import explain
from models.trace import Trace


def naive_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
) -> tuple[list[list[float]], list[list[float]]]:
    """Weights and output of one head (N × K, M × K, M × V) by plain Python loops."""
    scale = 1 / math.sqrt(q.shape[1]) if scale is None else scale
    weights, output = [], []
    for i in range(q.shape[0]):
        scores = []
        for j in range(k.shape[0]):
            score = sum(float(q[i, d]) * float(k[j, d]) for d in range(q.shape[1])) * scale
            scores.append(score if mask is None or bool(mask[i, j]) else -math.inf)
        largest = max(scores)
        if largest == -math.inf:
            row = [0.0] * len(scores)
        else:
            exponentials = [math.exp((score - largest) / temperature) for score in scores]
            row = [e / sum(exponentials) for e in exponentials]
        weights.append(row)
        output.append([sum(row[j] * float(v[j, c]) for j in range(len(row))) for c in range(v.shape[1])])
    return weights, output


def assert_explains(trace: Trace, name: str, index: tuple[int, ...], smallest: float = 0.0) -> None:
    """The explanation of a cell evaluates to it, and each factor stands where the explanation says.

    `smallest`: numbers that differ by less count as the same, for values below float32's normal range.
    """

    def same(a: float, b: float) -> bool:
        return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= max(1e-6 * abs(b), smallest)

    cell = float(trace[name].value[index])
    found = explain(trace, name, index)
    assert same(found.result, cell), (name, index)
    assert same(found.evaluate(), cell), (name, index, found.evaluate(), cell)
    for term in found.terms:
        for source, number in zip(term.sources, term.factors, strict=False):
            if source is not None:
                assert same(float(trace.tensor(source.name)[source.index]), number), (name, index, source)
