"""Independent computations that the engine is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def naive_roles(
    weights: Sequence[Sequence[float]],
    *,
    ids: Sequence[int] = (),
    special: Sequence[bool] = (),
    separator: Sequence[bool] = (),
    cross: bool = False,
    visible: Sequence[Sequence[bool]] | None = None,
) -> dict[str, tuple[float, int]]:
    """Every measure of one head (N × M) by plain loops over its formula: sum over the queries, and their number."""
    queries, keys = len(weights), len(weights[0])
    seen = [[j for j in range(keys) if visible is None or visible[i][j]] for i in range(queries)]

    def among(i: int, name: str) -> list[int]:
        copies = [
            j for j in range(i) if ids and not cross and ids[j] == ids[i] and not (special and special[i])
        ]
        wanted = {
            "previous": [i - 1],
            "next": [i + 1],
            "itself": [i],
            "earlier": copies,
            "first": [0] if i or cross else [],
            "induction": [j + 1 for j in copies if j + 1 < keys and ids[j + 1] != ids[i]],
            "separator": [j for j in range(1, keys) if separator and separator[j]],
        }
        return [j for j in wanted[name] if j in seen[i]]

    rows = [i for i in range(queries) if len(seen[i]) >= 2]
    found = {}
    for name in ("first", "separator") if cross else (
        "previous", "next", "itself", "earlier", "first", "induction", "separator"
    ):  # fmt: skip
        counted = [i for i in rows if among(i, name)]
        if counted:
            found[name] = (sum(weights[i][j] for i in counted for j in among(i, name)), len(counted))
    if not rows:
        return found
    slope = (keys - 1) / max(1, queries - 1) if cross else 1
    bands = [
        sum(weights[i][j] for i in rows for j in range(keys) if abs(j - round(i * slope) - offset) <= 1)
        for offset in range(-queries - keys, queries + keys)
    ]
    found["diagonal"] = (max(bands), len(rows))
    totals = {i: sum(weights[i]) for i in rows}
    shares = {i: [w / totals[i] if totals[i] else 0.0 for w in weights[i]] for i in rows}
    bits = {i: -sum(p * math.log2(p) for p in shares[i] if p > 0) for i in rows}
    found["entropy"] = (sum(bits.values()), len(rows))
    found["evenness"] = (sum(bits[i] / math.log2(len(seen[i])) for i in rows), len(rows))
    if not cross:
        distance = sum(p * abs(i - j) for i in rows for j, p in enumerate(shares[i]))
        found["distance"] = (distance, len(rows))
    return found
