"""What the rules of `models.explain` share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor

from models.explain.terms import Explanation, Index, Source, Term
from models.trace import Step, Trace


def number(tensor: Tensor, index: Index) -> float:
    return float(tensor[index])


def factor(trace: Trace, source: Source) -> float:
    """The number that stands at a source."""
    return number(trace.tensor(source.name), source.index)


def dot(
    trace: Trace,
    step: Step,
    index: Index,
    left: Sequence[Source],
    right: Sequence[Source],
    labels: Sequence[str] | None = None,
    bias: Source | None = None,
) -> Explanation:
    """A sum of products, one term per pair of sources; dimensions are labelled from 0. A bias is a last term of one
    factor."""
    names = labels or tuple(str(d) for d in range(len(left)))
    terms = []
    for label, a, b in zip(names, left, right, strict=True):
        x, y = factor(trace, a), factor(trace, b)
        terms.append(Term(label, (x, y), x * y, (a, b)))
    if bias is not None:
        added = factor(trace, bias)
        terms.append(Term(bias.name, (added,), added, (bias,)))
    return Explanation(step.name, index, "dot", tuple(terms), number(step.value, index))


def single(
    trace: Trace, step: Step, index: Index, operation: str, source: Source, label: str | None = None
) -> Explanation:
    """A number taken over from one source."""
    value = factor(trace, source)
    term = Term(label or source.name, (value,), value, (source,))
    return Explanation(step.name, index, operation, (term,), number(step.value, index))


def largest_of(row: Sequence[float]) -> float:
    """The maximum that softmax subtracts: NaN if there is one, 0 if everything is masked."""
    visible = [score for score in row if score != -math.inf]
    return math.nan if any(map(math.isnan, visible)) else max(visible, default=0.0)
