"""Opens any cell of any step into the numbers it was made from.

The rule of a step is its `operation` (see `models.trace.Step`), so whatever produces a trace with these operations,
the from-scratch engine or a captured model, can be explained. The invariant the project stands on: for every cell,
`explain(trace, name, index).evaluate()` equals the cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from models.explain.parts import dot, factor, largest_of, number, single
from models.explain.terms import Explanation, Index, Source, Term, softmax_exponent
from models.explain.trained_rules import (
    contribution,
    gated,
    multiply,
    opening,
    root_mean_square,
    rotate,
    softcap,
    standardise,
)
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


def _lookup(trace: Trace, step: Step, index: Index) -> Explanation:
    """A number that is not made from others here: it is given, or comes from earlier in the model."""
    value = number(step.value, index)
    first = step.axes[0]
    known = trace.tokens is not None and step.name != "context" and first == "token"
    label = trace.tokens[index[0]].label if known and trace.tokens is not None else str(index[0])
    return Explanation(step.name, index, "lookup", (Term(label, (value,), value),), value)


def _copy(trace: Trace, step: Step, index: Index) -> Explanation:
    return single(trace, step, index, "copy", Source(step.inputs[0], index))


def _sum(trace: Trace, step: Step, index: Index) -> Explanation:
    terms = tuple(
        Term(name, (value,), value, (Source(name, index),))
        for name in step.inputs
        for value in (number(trace.tensor(name), index),)
    )
    return Explanation(step.name, index, "sum", terms, number(step.value, index))


def _sinusoidal(_: Trace, step: Step, index: Index) -> Explanation:
    position, dimension = index
    rate = frequency(dimension, step.value.shape[1])
    operation, function = (("sine", math.sin), ("cosine", math.cos))[dimension % 2]
    term = Term(str(position), (float(position), rate), function(position * rate))
    return Explanation(step.name, index, operation, (term,), number(step.value, index))


def _projection(trace: Trace, step: Step, index: Index) -> Explanation:
    """Row of the input times a column of the head's part of the weight, plus the column's bias if there is one."""
    head, row, column = index
    data, weight, *biases = step.inputs
    across = head * step.value.shape[-1] + column
    left = [Source(data, (row, d)) for d in range(trace.tensor(weight).shape[0])]
    right = [Source(weight, (d, across)) for d in range(len(left))]
    return dot(trace, step, index, left, right, bias=Source(biases[0], (across,)) if biases else None)


def _scores(trace: Trace, step: Step, index: Index) -> Explanation:
    head, i, j = index
    query, key = step.inputs
    left = [Source(query, (head, i, d)) for d in range(trace.d_k)]
    right = [Source(key, (head, j, d)) for d in range(trace.d_k)]
    return dot(trace, step, index, left, right)


def _mix(trace: Trace, step: Step, index: Index) -> Explanation:
    head, i, column = index
    weights, value = step.inputs
    labels = trace.labels("key")
    left = [Source(weights, (head, i, j)) for j in range(len(labels))]
    right = [Source(value, (head, j, column)) for j in range(len(labels))]
    return dot(trace, step, index, left, right, labels)


def _output(trace: Trace, step: Step, index: Index) -> Explanation:
    row, column = index
    concat, weight, *biases = step.inputs
    left = [Source(concat, (row, d)) for d in range(trace.tensor(weight).shape[0])]
    right = [Source(weight, (d, column)) for d in range(len(left))]
    return dot(trace, step, index, left, right, bias=Source(biases[0], (column,)) if biases else None)


def _scale(trace: Trace, step: Step, index: Index) -> Explanation:
    source = Source(step.inputs[0], index)
    value = number(trace.tensor(source.name), index)
    term = Term("scale", (value, trace.scale), value * trace.scale, (source, None))
    return Explanation(step.name, index, "product", (term,), number(step.value, index))


def _mask(trace: Trace, step: Step, index: Index) -> Explanation:
    """Score plus 0 where the query may look, plus −∞ where it may not."""
    source = Source(step.inputs[0], index)
    value = number(trace.tensor(source.name), index)
    mask = trace.mask
    visible = mask is None or bool(mask[index if mask.ndim == len(index) else index[-2:]])
    added = 0.0 if visible else -math.inf
    term = Term("mask", (value, added), value if visible else -math.inf, (source, None))
    return Explanation(step.name, index, "mask", (term,), number(step.value, index))


def _softmax(trace: Trace, step: Step, index: Index) -> Explanation:
    """The exponentials of the row; the factors of each are the score, the row's maximum and the temperature.

    A further input is one more number per row that takes part in the sum: a sink, which has no value vector (gpt-oss),
    or what the keys outside a window come to. The cell (head, query) of a step without a key axis is the share of the
    last one.
    """
    scores, *sinks = step.inputs
    head, query = index[0], index[1]
    row = [float(v) for v in trace.tensor(scores)[head, query]]
    sources = [Source(scores, (head, query, j)) for j in range(len(row))]
    labels = list(trace.labels("key"))
    for sink in sinks:
        sources.append(Source(sink, (head, query)))
        labels.append(f"⟨{sink}⟩")
        row.append(factor(trace, sources[-1]))
    largest = largest_of(row)
    terms = tuple(
        Term(
            label,
            (score, largest, trace.temperature),
            math.nan if math.isnan(largest) else softmax_exponent(score, largest, trace.temperature),
            (source, None, None),
        )
        for label, score, source in zip(labels, row, sources, strict=True)
    )
    chosen = index[2] if len(index) > 2 else len(terms) - 1
    return Explanation(step.name, index, "softmax", terms, number(step.value, index), chosen=chosen)


def _concat(trace: Trace, step: Step, index: Index) -> Explanation:
    """A cell of some head's output; where the trace shows one head, the other heads' cells are given."""
    row, column = index
    head, within = divmod(column, trace.d_v)
    if trace.head not in (None, head):
        value = number(step.value, index)
        return Explanation(step.name, index, "copy", (Term(str(head), (value,), value),), value)
    source = Source(step.inputs[0], (0 if trace.head is not None else head, row, within))
    return single(trace, step, index, "copy", source, label=str(head))


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
    "rotate": rotate,
    "multiply": multiply,
    "rms_norm": root_mean_square,
    "layer_norm": standardise,
    "softcap": softcap,
    "contribution": contribution,
    "sigmoid": opening,
    "softplus": opening,
    "gated": gated,
}
