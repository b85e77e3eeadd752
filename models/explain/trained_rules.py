"""Rules for what pretrained models do beyond the original paper: rotation, normed queries, soft caps, sinks.

See `models.explain`. A trace of such a model shows one head (`Trace.head`), its head axis has length 1.
"""

from __future__ import annotations

import math

from models.explain.parts import dot, factor, number
from models.explain.terms import Explanation, Index, Source, Term
from models.trace import Step, Trace


def rotate(trace: Trace, step: Step, index: Index) -> Explanation:
    """Rotary positions: two products per cell, x[a]·cos + x[b]·(±sin). Su et al. 2021, section 3.2.2.

    Inputs: the step, cos and sin (N × K, the sign folded into sin) and the pairs (2 × K): which cells a and b cell c
    is made from. Cells that are not rotated have a = b, cos 1 and are made from one product.
    """
    head, row, column = index
    data, cos, sin, pairs = step.inputs
    first, second = (int(d) for d in trace.tensor(pairs)[:, column])
    left, right = [Source(data, (head, row, first))], [Source(cos, (row, column))]
    if second != first:
        left.append(Source(data, (head, row, second)))
        right.append(Source(sin, (row, column)))
    labels = [str(source.index[-1]) for source in left]
    return dot(trace, step, index, left, right, labels)


def multiply(trace: Trace, step: Step, index: Index) -> Explanation:
    """A cell times one number, the parameter named second (queries that are scaled before the dot product)."""
    source, by = Source(step.inputs[0], index), Source(step.inputs[1], (0,))
    a, b = factor(trace, source), factor(trace, by)
    return Explanation(
        step.name, index, "product", (Term(by.name, (a, b), a * b, (source, by)),), number(step.value, index)
    )


def root_mean_square(trace: Trace, step: Step, index: Index) -> Explanation:
    """x / √(mean of x² + ε) · weight, over the head's vector. Zhang and Sennrich 2019."""
    data, weight, epsilon, *offset = step.inputs
    vector, chosen = _normed_vector(trace, step, index, data, offset)
    terms = []
    for d, source in enumerate(vector):
        sources = (source, Source(weight, (d,)), Source(epsilon, (0,)))
        x, w, eps = (factor(trace, s) for s in sources)
        terms.append(Term(str(d), (x, w, eps), x * x, sources))
    return Explanation(step.name, index, "rms_norm", tuple(terms), number(step.value, index), chosen=chosen)


def standardise(trace: Trace, step: Step, index: Index) -> Explanation:
    """(x − mean) / √(variance + ε) · weight + bias, over the head's vector. Ba et al. 2016."""
    data, weight, bias, epsilon, *offset = step.inputs
    vector, chosen = _normed_vector(trace, step, index, data, offset)
    terms = []
    for d, source in enumerate(vector):
        sources = (source, Source(weight, (d,)), Source(bias, (d,)), Source(epsilon, (0,)))
        x, w, b, eps = (factor(trace, s) for s in sources)
        terms.append(Term(str(d), (x, w, b, eps), x, sources))
    return Explanation(step.name, index, "layer_norm", tuple(terms), number(step.value, index), chosen=chosen)


def _normed_vector(
    trace: Trace, step: Step, index: Index, data: str, offset: list[str]
) -> tuple[list[Source], int]:
    """The cells that a norm is over, and which of them the cell is made from.

    Usually the head's vector; with an offset (a parameter) the vectors of all heads side by side, in which the head's
    begins there.
    """
    if not offset:
        return [Source(data, (*index[:-1], d)) for d in range(step.value.shape[-1])], index[-1]
    width = trace.tensor(data).shape[-1]
    start = int(number(trace.tensor(offset[0]), (0,)))
    return [Source(data, (index[1], d)) for d in range(width)], start + index[-1]


def softcap(trace: Trace, step: Step, index: Index) -> Explanation:
    """cap · tanh(x / cap): scores never leave ±cap. Gemma 2, 2024."""
    source, cap = Source(step.inputs[0], index), Source(step.inputs[1], (0,))
    x, limit = factor(trace, source), factor(trace, cap)
    term = Term("cap", (x, limit), limit * math.tanh(x / limit), (source, cap))
    return Explanation(step.name, index, "softcap", (term,), number(step.value, index))


def opening(trace: Trace, step: Step, index: Index) -> Explanation:
    """How far a gate opens: sigmoid or softplus (the step's operation) of one number."""
    source = Source(step.inputs[0], index)
    x = factor(trace, source)
    result = number(step.value, index)
    return Explanation(
        step.name, index, step.operation, (Term(source.name, (x,), result, (source,)),), result
    )


def gated(trace: Trace, step: Step, index: Index) -> Explanation:
    """A cell of the head's output times how far its gate opens; one gate may serve the whole head."""
    data, gate = step.inputs
    source = Source(data, index)
    by = Source(gate, (*index[:-1], min(index[-1], trace.tensor(gate).shape[-1] - 1)))
    a, b = factor(trace, source), factor(trace, by)
    return Explanation(
        step.name, index, "product", (Term(by.name, (a, b), a * b, (source, by)),), number(step.value, index)
    )


def contribution(trace: Trace, step: Step, index: Index) -> Explanation:
    """What one head writes: its output times its own rows of W_O."""
    row, column = index
    data, weight = step.inputs
    width, start = trace.d_v, (trace.head or 0) * trace.d_v
    left = [Source(data, (0, row, d)) for d in range(width)]
    right = [Source(weight, (start + d, column)) for d in range(width)]
    return dot(trace, step, index, left, right)
