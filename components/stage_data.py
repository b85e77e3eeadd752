"""What the stage draws of a trace, as plain data: which steps, how each came about, every matrix, every label.

How a step is drawn follows from its operation, its inputs and its axes, which the trace has; how a matrix is called and
coloured from `models.vocabulary`. Nothing here or in the browser asks for a step by its name to know what it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from models import vocabulary
from models.trace import Step, Trace

WAVE_BASE = 10_000  # of the sinusoidal encoding (models.positions.sinusoidal)
PRODUCTS = ("projection", "output")  # their inputs: data, weight, and maybe a bias
NORMS = ("rms_norm", "layer_norm")
BESIDE = ("bias", "rest_output", "sink_mass", "rest_mass")  # drawn with the step that they belong to
AXES = {"query": "token", "token": "token", "key": "key"}  # everything else is a dimension


@dataclass(frozen=True)
class StageView:
    """What is on the stage: the step by its canonical name, and the cell (row i, column j) counted from 0."""

    step: str
    i: int
    j: int


def stage_data(
    trace: Trace,
    *,
    head: int,
    text: Mapping[str, Any],
    start: StageView,
    layer: int | None = None,
    origins: Sequence[str] | None = None,
    opening: int = 0,
) -> dict[str, Any]:
    """What travels to the browser of one head: `meta` (sizes, labels, words) and every matrix as an Arrow column of
    float32.

    `text` is the locale's table of the stage. `origins` says for each token where its vector comes from ("drawn",
    "worked", "edited", see models.origins); None: from a learned table. `layer` is the number of the layer if its
    input comes from the layers below and not straight from a sentence. `start` is where the stage opens; keep it
    constant while it is on the page, so that only changed numbers travel; with another number `opening` it goes there
    once more.
    """
    found = matrices(trace, head)
    meta = {
        **_sizes(trace, head),
        **_grammar(trace, found),
        **_labels(trace),
        **_hidden(trace, head),
        "text": dict(text),
        "start": {"step": start.step, "i": start.i, "j": start.j, "opening": opening},
        "layer": layer,
        "origins": origins and list(origins),
    }
    return {"meta": meta, **_columns(trace, head, found)}


def can_show(trace: Trace) -> bool:
    """Whether a trace has the steps of attention, and not the weights alone."""
    return {"query", "key", "value", "scores"} <= set(trace.names)


def stage_steps(trace: Trace) -> tuple[str, ...]:
    """The steps on the stage in the order of `models.vocabulary`: those of the trace, less the ones that do nothing (no
    positions, no mask), and of a lone head less those of all heads together. What a model does to queries and keys
    between projection and dot product comes in the order in which it does it, both sides at once."""
    idle = {*BESIDE} if "position" in trace else {*BESIDE, "embedding"}
    if trace.mask is None:
        idle.add("masked")
    if trace.head is not None:
        idle |= {"concat", "output"}
    names = sorted((name for name in trace.names if name not in idle), key=vocabulary.place)
    chain = [name for name in names if vocabulary.named(name).chain]
    chain.sort(key=lambda name: (_depth(trace, name), vocabulary.place(name)))
    others = [name for name in names if name not in chain]
    after = others.index("scores") if "scores" in others else len(others)
    return (*others[:after], *chain, *others[after:])


def _depth(trace: Trace, name: str) -> int:
    """How many changes lead from a projection to this step."""
    return 1 + _depth(trace, trace[name].inputs[0]) if vocabulary.named(name).chain else 0


def matrices(trace: Trace, head: int) -> dict[str, Tensor]:
    """Every matrix on the stage by its canonical name, two-dimensional, for one head.

    Biases become one more row of their weights, and the data that meets these one more column of ones. What a norm
    multiplies with and adds is one matrix, "query_norm" or "key_norm".
    """
    steps = _drawn(trace)
    found = {step.name: _of_head(step, head, trace) for step in steps if step.name != "tokens"}
    for step in steps:
        found |= _operands(trace, step, head)
    if has_biases(trace):
        for name in {step.inputs[0] for step in steps if step.operation in PRODUCTS}:
            found[name] = torch.cat((found[name], torch.ones(len(found[name]), 1)), -1)
    return found


def has_biases(trace: Trace) -> bool:
    """Whether a projection adds something."""
    return any(step.operation in PRODUCTS and len(step.inputs) > 2 for step in _drawn(trace))


def _drawn(trace: Trace) -> list[Step]:
    """The steps whose numbers are on the stage: of a lone head all but those of all heads together."""
    together = ("concat", "output") if trace.head is not None else ()
    return [step for step in trace.steps if step.name not in together]


def _of_head(step: Step, head: int, trace: Trace) -> Tensor:
    if step.axes[0] != "head":
        return step.value
    one = step.value[0 if trace.head is not None else head]
    return one if one.ndim == 2 else one[:, None]


def _operands(trace: Trace, step: Step, head: int) -> dict[str, Tensor]:
    """What a step needs beside other steps: weights, what norms multiply with, cos and sin, sinks."""
    given = [name for name in step.inputs if name in trace.parameters]
    if step.operation in PRODUCTS:
        return {given[0]: _weight(trace, step, given, head)}
    if step.operation == "contribution":
        rows = (trace.head or 0) * trace.d_v
        return {given[0]: trace.parameters[given[0]][rows : rows + trace.d_v]}
    if step.operation in NORMS:
        kept = [trace.parameters[name] for name in given if name.endswith(("_weight", "_bias"))]
        return {given[0].removesuffix("_weight"): torch.stack(kept)}
    if step.operation == "softmax":
        return {name: trace.parameters[name].T for name in given}
    return {name: trace.parameters[name] for name in given if trace.parameters[name].ndim > 1}


def _weight(trace: Trace, step: Step, given: Sequence[str], head: int) -> Tensor:
    """The columns that make this step; with biases somewhere on the stage, the bias or zeros as the last row."""
    weight = trace.parameters[given[0]]
    if step.axes[0] == "head" and trace.head is None:
        size = step.value.shape[-1]
        weight = weight[:, head * size : (head + 1) * size]
    if not has_biases(trace):
        return weight
    bias = trace.parameters[given[1]] if len(given) > 1 else weight.new_zeros(weight.shape[-1])
    return torch.cat((weight, bias[None]))


# ---- what is said about them ---------------------------------------------------------------------------------------


def _sizes(trace: Trace, head: int) -> dict[str, Any]:
    return {
        "head": head,
        "alone": trace.head is not None,
        "heads": trace.heads,
        "d_model": trace.d_model if "input" in trace else 0,
        "d_k": trace.d_k,
        "d_v": trace.d_v,
        "scale": trace.scale,
        "usual": abs(trace.scale * trace.d_k**0.5 - 1) < 1e-6,
        "temperature": trace.temperature,
        "base": WAVE_BASE,
        "biases": has_biases(trace),
    }


def _grammar(trace: Trace, found: Mapping[str, Tensor]) -> dict[str, Any]:
    """Which steps there are, how each came about, and how its matrices are called."""
    steps = stage_steps(trace)
    single = {name: value for name, value in trace.parameters.items() if value.numel() == 1}
    return {
        "steps": list(steps),
        "how": {step.name: _how(trace, step, found) for step in _drawn(trace)},
        "looks": {name: _look(trace, name, found) for name in (*found, "mask") if vocabulary.knows(name)},
        "instead": {name: vocabulary.nearest(name, steps) for name in vocabulary.ORDER if name not in steps},
        "numbers": {name: float(value) for name, value in single.items()},
        "shapes": {name: list(tensor.shape) for name, tensor in found.items()},
        "identity": [
            name for name, tensor in found.items() if name.startswith("w_") and _is_identity(tensor)
        ],
    }


def _how(trace: Trace, step: Step, found: Mapping[str, Tensor]) -> dict[str, Any]:
    """The operation and the inputs of a step; of a softmax also the shares of what takes part beside the keys; of a
    change of queries or keys, how many led to it."""
    how: dict[str, Any] = {"operation": step.operation, "inputs": list(step.inputs)}
    if step.name == "weights" and step.operation == "softmax":
        how["beside"] = [f"{name}_mass" for name in step.inputs[1:] if f"{name}_mass" in found]
    if vocabulary.named(step.name).chain:
        how["depth"] = _depth(trace, step.name)
    return how


def _look(trace: Trace, name: str, found: Mapping[str, Tensor]) -> dict[str, Any]:
    """How a matrix is called and coloured, and what its rows and columns stand for. A dimension axis that ends with the
    row or column of a bias says where: "dim:576"."""
    row = vocabulary.named(name)
    look = {
        "symbol": row.symbol,
        "sub": row.sub,
        "sup": row.sup,
        "hue": "" if row.hue == "x" else row.hue,
        "letter": row.letter,
    }
    rows, cols = _axes(trace, name)
    data, weights = _meet_at_biases(trace)
    if name in data:
        cols = f"dim:{found[name].shape[1] - 1}"
    if name in weights:
        rows = f"dim:{found[name].shape[0] - 1}"
    return {**{key: value for key, value in look.items() if value}, "rows": rows, "cols": cols}


def _axes(trace: Trace, name: str) -> tuple[str, str]:
    if name == "mask":
        return "token", "key"
    if name not in trace:
        rows = "token" if name in trace["weights"].inputs else "dim"
        return rows, "beside" if rows == "token" else "dim"
    axes = [axis for axis in trace[name].axes if axis != "head"]
    first = vocabulary.named(name).rows or AXES.get(axes[0], "dim")
    return first, AXES.get(axes[1], "dim") if len(axes) > 1 else "beside"


def _meet_at_biases(trace: Trace) -> tuple[set[str], set[str]]:
    """Names of the data and of the weights that meet in a product with a bias."""
    steps = [step for step in _drawn(trace) if step.operation in PRODUCTS] if has_biases(trace) else []
    return {step.inputs[0] for step in steps}, {step.inputs[1] for step in steps}


def _labels(trace: Trace) -> dict[str, Any]:
    """Tokens along rows and columns, and where they stand in the text if that is longer than what is shown."""
    seen = trace.window
    return {
        "tokens": list(trace.labels("query")),
        "keys": list(trace.labels("key")),
        "ids": [] if trace.tokens is None else list(trace.tokens.ids),
        "window": None
        if seen is None
        else {
            "queries": list(seen.queries),
            "keys": list(seen.keys),
            "N": seen.all_queries,
            "M": seen.all_keys,
            "visible": list(seen.visible),
        },
    }


def _hidden(trace: Trace, head: int) -> dict[str, Any]:
    padded = [] if trace.padded is None else trace.padded.nonzero().flatten().tolist()
    one = 0 if trace.head is not None else head
    return {
        "padded": padded,
        "causal": _hides_the_future(trace),
        "empty": [] if trace.empty_rows is None else trace.empty_rows[one].tolist(),
    }


def _columns(trace: Trace, head: int, found: Mapping[str, Tensor]) -> dict[str, pa.Table]:
    columns = {
        name: pa.table({"v": np.ascontiguousarray(tensor.numpy(), dtype=np.float32).ravel()})
        for name, tensor in found.items()
    }
    if trace.mask is not None:
        columns["states"] = pa.table({"v": cell_states(trace, head).numpy().ravel()})
    return columns


def cell_states(trace: Trace, head: int) -> Tensor:
    """N × M, uint8: 0 visible, 1 masked, 2 padded (see STATE in lib/cells.js)."""
    assert trace.mask is not None
    mask = trace.mask if trace.mask.ndim == 2 else trace.mask[head]
    states = (~mask).to(torch.uint8)
    if trace.padded is not None:
        states[:, trace.padded] = 2
    return states


def _is_identity(tensor: Tensor) -> bool:
    return tensor.shape[0] == tensor.shape[1] and torch.equal(tensor, torch.eye(len(tensor)))


def _hides_the_future(trace: Trace) -> bool:
    """True if some key is hidden for another reason than being padding."""
    if trace.mask is None:
        return False
    expected = torch.ones_like(trace.mask) if trace.padded is None else ~trace.padded.expand_as(trace.mask)
    return not torch.equal(trace.mask, expected)
