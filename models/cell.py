"""One cell of attention in full: what one query has to do with one key, from their vectors to the output."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from models.explain import explain
from models.trace import Step, Trace


@dataclass(frozen=True)
class Cell:
    """Query i and key j of one head. Vectors: `query`, `key` (K), `value`, `head_output` (V); rows over all keys:
    `scores`, `masked`, `exponentials`, `weights` (M). `gate` (V) is what a gated model multiplies the head's output
    with (None for others), `written` (V) what then enters W_O; `added_by_key`, `added_by_head` (D) are what reaches the
    layer's output at token i through W_O, from this key alone and from the whole head (None where W_O is not known).
    `query` and `key` are the vectors that are multiplied; where a model changes them first, `query_before` and
    `key_before` are what its projections gave and `changed` the operations in between ("rotate", "rms_norm", …), the
    query's first. `steps` are the numbers of this cell in order, by step name.
    """

    i: int
    j: int
    query: Tensor
    key: Tensor
    value: Tensor
    head_output: Tensor
    scores: Tensor
    masked: Tensor
    exponentials: Tensor
    weights: Tensor
    largest: float
    total: float
    sink: float
    steps: dict[str, float]
    visible: bool
    added_by_key: Tensor | None
    added_by_head: Tensor | None
    written: Tensor
    gate: Tensor | None = None
    query_before: Tensor | None = None
    key_before: Tensor | None = None
    changed: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        return float(self.weights[self.j])

    @property
    def part(self) -> Tensor:
        """V: this key's part of `written`; over all keys the parts sum to it."""
        return _gated(self.weights[self.j] * self.value, self.gate)


def cell_of(trace: Trace, head: int, i: int, j: int) -> Cell:
    """The cell of `head`, query i and key j. Raises IndexError for a cell outside."""
    parts = explain(trace, "weights", (head, i, j))
    asks, offers = _multiplied(trace)
    value = trace["value"].value[head, j]
    weights = trace["weights"].value[head, i]
    output = trace["head_output"].value[head, i]
    gate = trace["gate_opening"].value[head, i].expand(len(output)) if "gate_opening" in trace else None
    written = trace["gated_output"].value[head, i] if "gated_output" in trace else output
    projection = _output_rows(trace, head)
    exponentials = weights.new_tensor([term.value for term in parts.terms])
    keys = len(weights)
    return Cell(
        i=i,
        j=j,
        query=trace[asks].value[head, i],
        key=trace[offers].value[head, j],
        value=value,
        head_output=output,
        scores=trace["scores"].value[head, i],
        masked=trace["masked"].value[head, i],
        exponentials=exponentials[:keys],
        weights=weights,
        largest=parts.terms[0].factors[1],
        total=float(exponentials.double().sum()),
        sink=float(exponentials[keys:].double().sum()),
        steps={step.name: float(step.value[head, i, j]) for step in trace.steps if _is_a_score(step)},
        visible=float(trace["masked"].value[head, i, j]) != float("-inf"),
        added_by_key=None if projection is None else _gated(weights[j] * value, gate) @ projection,
        added_by_head=_contribution(trace, i, written, projection),
        written=written,
        gate=gate,
        query_before=None if asks == "query" else trace["query"].value[head, i],
        key_before=None if offers == "key" else trace["key"].value[head, j],
        changed=tuple(dict.fromkeys((*_changes(trace, "query", asks), *_changes(trace, "key", offers)))),
    )


def _is_a_score(step: Step) -> bool:
    """Whether a step has one number per query and key on the way to the weights."""
    return step.axes == ("head", "query", "key") and step.operation not in ("lookup", "softmax")


def _multiplied(trace: Trace) -> tuple[str, str]:
    """Names of the two steps whose rows the scores multiply: after rotation, norm or scaling if the model has them."""
    query, key = trace["scores"].inputs
    return query, key


def _changes(trace: Trace, first: str, last: str) -> list[str]:
    """The operations that lead from one step to a later one."""
    found: list[str] = []
    while last != first:
        found.insert(0, trace[last].operation)
        last = trace[last].inputs[0]
    return found


def _gated(vector: Tensor, gate: Tensor | None) -> Tensor:
    return vector if gate is None else vector * gate


def _contribution(trace: Trace, i: int, written: Tensor, projection: Tensor | None) -> Tensor | None:
    """D: what the head adds; a trace of one head of a model says it itself."""
    if "contribution" in trace:
        return trace["contribution"].value[i]
    return None if projection is None else written @ projection


def _output_rows(trace: Trace, head: int) -> Tensor | None:
    """The rows of W_O that read this head (V × D). A trace of one head of a model has the W_O of all heads."""
    if "w_o" not in trace.parameters:
        return None
    size = trace.d_v
    head = head if trace.head is None else trace.head
    return trace.parameters["w_o"][head * size : (head + 1) * size]
