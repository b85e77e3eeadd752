"""A part of a long text's trace, small enough to be read: some queries and keys, and what all other keys come to.

Nothing is cut off from the numbers. Softmax is over all keys: those outside the window take part as one more number per
row, the logarithm of the sum of their exponentials (as a sink does, `models.explain.rules`). What they hand over is
one more summand of the head's output. So every cell of the window is still what it is in the whole trace, and can be
recomputed from what the window has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from models.trace import Step, Trace, Window

REST = "rest"
_KEYS_SIDE = ("context", "value_input")  # their rows are those of keys


def around(places: Sequence[int], size: int, length: int) -> tuple[int, ...]:
    """Up to `size` places of a text of `length` tokens that stand around those given: as many around each."""
    wanted = sorted(set(places))
    found: set[int] = set(wanted)
    for each in range(size // len(wanted), size + 1):
        starts = (max(0, min(place - each // 2, length - each)) for place in wanted)
        near = {place for start in starts for place in range(start, min(start + each, length))}
        if (
            len(near) > size
        ):  # places that stand close together share their neighbours, so that each may have more
            break
        found = near
    return tuple(sorted(found))


def window(trace: Trace, queries: Sequence[int], keys: Sequence[int]) -> Trace:
    """The trace of one head of a model (head axis of length 1), seen through a window of these queries and keys.

    Steps that have neither a query nor a key axis are those of the queries' side. Raises ValueError for a trace of
    several heads, and for different places where queries and keys are made from the same rows.
    """
    if trace.head is None:
        raise ValueError("a trace of one head was expected, received one of all heads")
    if tuple(queries) != tuple(keys) and _made_alike(trace):
        raise ValueError("queries and keys of the same rows were expected, as both are made from them")
    rows, columns = torch.tensor(tuple(queries)), torch.tensor(tuple(keys))
    steps = tuple(_part(step, rows, columns) for step in trace.steps)
    parameters = _parameters(trace, rows, columns)
    if len(columns) < trace["weights"].value.shape[-1]:
        rest = _rest_of(trace, rows, columns)
        steps, parameters = _with_rest(steps, rest), {**parameters, REST: rest[0]}
    return replace(
        trace,
        steps=steps,
        parameters=parameters,
        mask=None if trace.mask is None else trace.mask[rows][:, columns],
        padded=None if trace.padded is None else trace.padded[columns],
        empty_rows=None if trace.empty_rows is None else trace.empty_rows[:, rows],
        query_labels=tuple(trace.labels("query")[i] for i in queries),
        key_labels=tuple(trace.labels("key")[j] for j in keys),
        window=_window_of(trace, tuple(queries), tuple(keys)),
    )


def _made_alike(trace: Trace) -> bool:
    """Whether queries and keys come from the same rows of X."""
    return any("key" in step.axes and "input" in step.inputs for step in trace.steps)


def _window_of(trace: Trace, queries: tuple[int, ...], keys: tuple[int, ...]) -> Window:
    rows, columns = trace["weights"].value.shape[1:]
    seen = torch.full((rows,), columns) if trace.mask is None else trace.mask.sum(-1)
    return Window(queries, keys, rows, columns, tuple(int(seen[i]) for i in queries))


def _part(step: Step, rows: Tensor, columns: Tensor) -> Step:
    value = step.value
    for at, axis in enumerate(step.axes):
        if axis == "key" or (axis == "token" and step.name in _KEYS_SIDE):
            value = value.index_select(at, columns)
        elif axis in ("query", "token"):
            value = value.index_select(at, rows)
    return replace(step, value=value)


def _parameters(trace: Trace, rows: Tensor, columns: Tensor) -> dict[str, Tensor]:
    """Parameters that have a row per token: what rotates queries and keys, and the sink."""
    found = dict(trace.parameters)
    for side, places in (("query", rows), ("key", columns)):
        for name in (f"{side}_cos", f"{side}_sin"):
            if name in found and len(found[name]) > 1:
                found[name] = found[name][places]
    if "sink" in found:
        found["sink"] = found["sink"][:, rows]
    return found


def _rest_of(trace: Trace, rows: Tensor, columns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Of the keys outside the window, per query: what they are in softmax (float64, 1 × N), their share of the weights
    (1 × N), and what they add to the head's output (1 × N × V; float64, so that the sum is the very number it was)."""
    outside = torch.ones(trace["weights"].value.shape[-1], dtype=torch.bool)
    outside[columns] = False
    before = trace[trace["weights"].inputs[0]].value[:, rows][..., outside].double()
    weights = trace["weights"].value[:, rows].double()
    value = trace.tensor(trace["head_output"].inputs[1]).double()
    inside = (weights[..., columns] @ value[:, columns]).float()
    added = trace["head_output"].value[:, rows].double() - inside.double()
    return before.logsumexp(-1), weights[..., outside].sum(-1).float(), added


def _with_rest(steps: tuple[Step, ...], rest: tuple[Tensor, Tensor, Tensor]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in steps:
        if step.name in ("weights", "sink_mass"):
            # a mass is the share of the last of its inputs
            before = (
                (*step.inputs, REST) if step.name == "weights" else (step.inputs[0], REST, *step.inputs[1:])
            )
            found.append(replace(step, inputs=before))
            if step.name == "weights":
                inputs = (*step.inputs, REST)
                found.append(Step("rest_mass", rest[1], ("head", "query"), step.formula, "softmax", inputs))
        elif step.name == "head_output":
            found += _outputs(step, steps, rest[2])
        else:
            found.append(step)
    return tuple(found)


def _outputs(step: Step, steps: Sequence[Step], rest: Tensor) -> tuple[Step, Step, Step]:
    """What the window's keys hand over, what the others do, and the sum, which is the head's output as it was."""
    values = {other.name: other.value.double() for other in steps if other.name in step.inputs}
    weights, value = (values[name] for name in step.inputs)
    inside = (weights @ value).float()
    names = ("window_output", "rest_output")
    return (
        replace(step, name=names[0], value=inside),
        Step(names[1], rest, step.axes, "the other keys' part", "lookup"),
        replace(step, formula="weights·V + rest", operation="sum", inputs=names),
    )
