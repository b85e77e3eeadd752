"""Puts the steps of one head of a call together into a trace."""

from __future__ import annotations

import torch
from torch import Tensor

from models import steps
from models.pretrained import masking
from models.pretrained.call.call_in_layer import CallInLayer
from models.pretrained.call.gate_steps import add_gate
from models.pretrained.call.head_steps import GRID, Side, Steps, add_scores, add_vectors, add_weights
from models.pretrained.call.layouts import matrix
from models.pretrained.call.origin import Origin
from models.pretrained.call.outputs import all_outputs
from models.trace import Trace


def trace_head(call: CallInLayer, head: int, batch: int) -> Trace:
    """See `AttentionCall.trace`."""
    to = Steps()
    if call.recorded.weights is not None:
        given = to.add("weights", call.weights(head, batch)[None], GRID, "weights", "lookup")
        return _finished(to, call, head, batch, None, (given == 0).all(-1))
    query, key, value = _add_projections(to, call, head, batch)
    visible = masking.visible(call.recorded, batch, head)
    masked = add_scores(
        to,
        query,
        key,
        scale=call.recorded.scaling,
        softcap=call.recorded.softcap,
        bias=masking.added(call.recorded, batch, head),
        visible=visible,
    )
    weights = add_weights(to, masked, masking.sink(call.recorded, batch, head))
    mixed = steps.mix_values(weights.double(), value[1].double())
    output = to.add("head_output", mixed, ("head", "query", "d_v"), "weights·V", "mix", ("weights", value[0]))
    name = "head_output"
    if (gate := call.gate(batch)) is not None:
        name, output = "gated_output", add_gate(to, gate, output, head)
    if call.has_output:
        _add_output(to, call, head, batch, (name, output))
    return _finished(to, call, head, batch, visible, (masked[1] == -torch.inf).all(-1))


def _finished(
    to: Steps, call: CallInLayer, head: int, batch: int, visible: Tensor | None, empty_rows: Tensor
) -> Trace:
    return Trace(
        tuple(to.steps),
        scale=call.recorded.scaling,
        parameters=to.parameters,
        mask=visible,
        padded=None if call.padded is None else call.padded[min(batch, len(call.padded) - 1)],
        empty_rows=empty_rows,
        head=head,
        query_labels=call.query_labels,
        key_labels=call.key_labels,
    )


def _add_projections(
    to: Steps, call: CallInLayer, head: int, batch: int
) -> tuple[tuple[str, Tensor], tuple[str, Tensor], tuple[str, Tensor]]:
    """Adds the inputs and how query, key and value came from them."""
    origins = {side: call.origin(side, batch) for side in ("query", "key", "value")}
    names = _name_inputs(to, call.kind, origins)
    shared = call.kv_head(head)
    return (
        add_vectors(
            to,
            Side("query", "Q", "query", "d_k", names["query"]),
            call.query(head, batch),
            origins["query"],
            head,
        ),
        add_vectors(
            to, Side("key", "K", "key", "d_k", names["key"]), call.key(head, batch), origins["key"], shared
        ),
        add_vectors(
            to,
            Side("value", "V", "key", "d_v", names["value"]),
            call.value(head, batch),
            origins["value"],
            head * call.recorded.value.shape[1] // call.heads,
        ),
    )


def _name_inputs(to: Steps, kind: str, origins: dict[str, Origin | None]) -> dict[str, str]:
    """Adds each different input once: "input" for the queries', "context" for other keys', "value_input" for others."""
    known: list[tuple[str, Tensor]] = []
    names = {"query": "input", "key": "context" if kind == "cross" else "input", "value": "value_input"}
    found: dict[str, str] = {}
    for side, origin in origins.items():
        if origin is None:
            found[side] = ""
            continue
        source = origin.source.float()
        same = next((name for name, other in known if _same(source, other)), None)
        if same is None:
            taken = {name for name, _ in known}
            same = next(
                name for name in (names[side], "input", "context", "value_input") if name not in taken
            )
            known.append((same, source))
            to.add(same, source, ("token", "d_model"), "X" if same == "input" else "X_context", "lookup")
        found[side] = same
    return found


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and (a.data_ptr() == b.data_ptr() or torch.equal(a, b))


def _add_output(to: Steps, call: CallInLayer, head: int, batch: int, source: tuple[str, Tensor]) -> None:
    """Adds what the head writes, and the layer's output of all heads together."""
    assert call.output_layer is not None
    weight, bias = matrix(call.output_layer)
    name, output = source
    width, rows = output.shape[-1], ("query", "d_model")
    to.parameters["w_o"] = w_o = weight.float()
    written = output[0].double() @ w_o[head * width : (head + 1) * width].double()
    to.add("contribution", written, rows, "head output·W_O[h]", "contribution", (name, "w_o"))
    heads = all_outputs(call, batch)
    heads[head] = output[0]
    concat = to.add(
        "concat",
        steps.concatenate(heads),
        ("query", "concat"),
        "[head 0 | … | head h − 1]",
        "concat",
        (name,),
    )
    projected = concat.double() @ w_o.double()
    if bias is None:
        to.add("output", projected, rows, "concat·W_O", "output", ("concat", "w_o"))
        return
    to.parameters["b_o"] = bias.float()
    total = projected + to.parameters["b_o"].double()
    to.add("output", total, rows, "concat·W_O + b_O", "output", ("concat", "w_o", "b_o"))
