"""Opens any cell of any step into the numbers it was made from.

The rule of a step is its `operation` (see `models.trace.Step`), so whatever produces a trace with these operations,
the from-scratch engine or a captured model, can be explained. The invariant the project stands on: for every cell,
`explain(trace, name, index).evaluate()` equals the cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from torch import Tensor

from models.explanation import Explanation, Index, Source, Term, softmax_exponent
from models.positions import frequency
from models.trace import Step, Trace


def explain(trace: Trace, name: str, index: Index | int) -> Explanation:
    """How the cell `index` of step `name` came about: explain(trace, "scores", (head, i, j)).

    The index has one number per axis of the step. Raises KeyError for an unknown step, IndexError for a cell outside.
    """
    step = trace[name]
    cell = (index,) if isinstance(index, int) else tuple(int(i) for i in index)
    shape = tuple(step.value.shape)
    if len(cell) != len(shape) or any(not 0 <= i < size for i, size in zip(cell, shape, strict=True)):
        raise IndexError(f"{name} has shape {shape} ({', '.join(step.axes)}); received the index {cell}")
    return _RULES[step.operation](trace, step, cell)


def _number(tensor: Tensor, index: Index) -> float:
    return float(tensor[index])


def _lookup(trace: Trace, step: Step, index: Index) -> Explanation:
    value = _number(step.value, index)
    label = (
        trace.tokens[index[0]].label if trace.tokens is not None and step.name != "context" else str(index[0])
    )
    return Explanation(step.name, index, "lookup", (Term(label, (value,), value),), value)


def _copy(trace: Trace, step: Step, index: Index) -> Explanation:
    source = Source(step.inputs[0], index)
    value = _number(trace.tensor(source.name), index)
    return Explanation(
        step.name, index, "copy", (Term(source.name, (value,), value, (source,)),), _number(step.value, index)
    )


def _sum(trace: Trace, step: Step, index: Index) -> Explanation:
    terms = tuple(
        Term(name, (value,), value, (Source(name, index),))
        for name in step.inputs
        for value in (_number(trace.tensor(name), index),)
    )
    return Explanation(step.name, index, "sum", terms, _number(step.value, index))


def _sinusoidal(_: Trace, step: Step, index: Index) -> Explanation:
    position, dimension = index
    rate = frequency(dimension, step.value.shape[1])
    operation, function = (("sine", math.sin), ("cosine", math.cos))[dimension % 2]
    term = Term(str(position), (float(position), rate), function(position * rate))
    return Explanation(step.name, index, operation, (term,), _number(step.value, index))


def _projection(trace: Trace, step: Step, index: Index) -> Explanation:
    """Row of the input times a column of the head's part of the weight."""
    head, row, column = index
    data, weight = step.inputs
    across = head * step.value.shape[-1] + column
    left = [Source(data, (row, d)) for d in range(trace.tensor(weight).shape[0])]
    right = [Source(weight, (d, across)) for d in range(len(left))]
    return _dot(trace, step, index, left, right)


def _scores(trace: Trace, step: Step, index: Index) -> Explanation:
    head, i, j = index
    query, key = step.inputs
    shared = head * trace.key_heads // trace.heads  # grouped queries share a key head
    left = [Source(query, (head, i, d)) for d in range(trace.d_k)]
    right = [Source(key, (shared, j, d)) for d in range(trace.d_k)]
    return _dot(trace, step, index, left, right)


def _mix(trace: Trace, step: Step, index: Index) -> Explanation:
    head, i, column = index
    weights, value = step.inputs
    shared = head * trace.key_heads // trace.heads
    labels = trace.labels("key")
    left = [Source(weights, (head, i, j)) for j in range(len(labels))]
    right = [Source(value, (shared, j, column)) for j in range(len(labels))]
    return _dot(trace, step, index, left, right, labels)


def _output(trace: Trace, step: Step, index: Index) -> Explanation:
    row, column = index
    concat, weight = step.inputs
    left = [Source(concat, (row, d)) for d in range(trace.tensor(weight).shape[0])]
    right = [Source(weight, (d, column)) for d in range(len(left))]
    return _dot(trace, step, index, left, right)


def _dot(
    trace: Trace,
    step: Step,
    index: Index,
    left: list[Source],
    right: list[Source],
    labels: tuple[str, ...] | None = None,
) -> Explanation:
    """A sum of products, one term per pair of sources; dimensions are labelled from 1."""
    names = labels or tuple(str(d + 1) for d in range(len(left)))
    terms = []
    for label, a, b in zip(names, left, right, strict=True):
        x, y = _number(trace.tensor(a.name), a.index), _number(trace.tensor(b.name), b.index)
        terms.append(Term(label, (x, y), x * y, (a, b)))
    return Explanation(step.name, index, "dot", tuple(terms), _number(step.value, index))


def _scale(trace: Trace, step: Step, index: Index) -> Explanation:
    source = Source(step.inputs[0], index)
    value = _number(trace.tensor(source.name), index)
    term = Term("scale", (value, trace.scale), value * trace.scale, (source, None))
    return Explanation(step.name, index, "product", (term,), _number(step.value, index))


def _mask(trace: Trace, step: Step, index: Index) -> Explanation:
    """Score plus 0 where the query may look, plus −∞ where it may not."""
    source = Source(step.inputs[0], index)
    value = _number(trace.tensor(source.name), index)
    mask = trace.mask
    visible = mask is None or bool(mask[index if mask.ndim == len(index) else index[-2:]])
    added = 0.0 if visible else -math.inf
    term = Term("mask", (value, added), value if visible else -math.inf, (source, None))
    return Explanation(step.name, index, "mask", (term,), _number(step.value, index))


def _softmax(trace: Trace, step: Step, index: Index) -> Explanation:
    """The exponentials of the row; the factors of each are the score, the row's maximum and the temperature."""
    source = step.inputs[0]
    row = [float(v) for v in trace.tensor(source)[index[:-1]]]
    finite = [score for score in row if score != -math.inf]
    largest = math.nan if any(map(math.isnan, finite)) else max(finite, default=0.0)
    terms = tuple(
        Term(
            label,
            (score, largest, trace.temperature),
            math.nan if math.isnan(largest) else softmax_exponent(score, largest, trace.temperature),
            (Source(source, (*index[:-1], j)), None, None),
        )
        for j, (label, score) in enumerate(zip(trace.labels("key"), row, strict=True))
    )
    return Explanation(step.name, index, "softmax", terms, _number(step.value, index), chosen=index[-1])


def _concat(trace: Trace, step: Step, index: Index) -> Explanation:
    row, column = index
    head, within = divmod(column, trace.d_v)
    source = Source(step.inputs[0], (head, row, within))
    value = _number(trace.tensor(source.name), source.index)
    term = Term(str(head + 1), (value,), value, (source,))
    return Explanation(step.name, index, "copy", (term,), _number(step.value, index))


_RULES: dict[str, Callable[[Trace, Step, Index], Explanation]] = {
    "lookup": _lookup,
    "copy": _copy,
    "sum": _sum,
    "sinusoidal": _sinusoidal,
    "projection": _projection,
    "dot": _scores,
    "scale": _scale,
    "mask": _mask,
    "softmax": _softmax,
    "mix": _mix,
    "concat": _concat,
    "output": _output,
}
