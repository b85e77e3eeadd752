"""The steps of a gate between a head's output and W_O."""

from __future__ import annotations

from torch import Tensor

from models.pretrained.call.gates import OPENINGS, Gate
from models.pretrained.call.head_steps import Steps


def add_gate(to: Steps, gate: Gate, output: Tensor, head: int) -> Tensor:
    """Adds what goes into the gate, how far it opens and the gated output (1 × N × V), which is returned."""
    weight, bias = gate.weight(head)
    to.parameters["w_gate"] = weight
    names: tuple[str, ...] = (_input(to, gate), "w_gate")
    if bias is not None:
        to.parameters["b_gate"] = bias
        names = (*names, "b_gate")
    axes = ("head", "query", "d_v" if len(gate.places[head]) > 1 else "gate")
    formula = "X·W_gate" if bias is None else "X·W_gate + b_gate"
    closed = to.add("gate", gate.closed(head)[None], axes, formula, "projection", names)
    opened = OPENINGS[gate.opening](closed.double())
    opening = to.add("gate_opening", opened, axes, f"{gate.opening}(gate)", gate.opening, ("gate",))
    gated = output.double() * opening.double()
    inputs = ("head_output", "gate_opening")
    return to.add("gated_output", gated, ("head", "query", "d_v"), "head output × opening", "gated", inputs)


def _input(to: Steps, gate: Gate) -> str:
    """The step that holds what the gate is projected from; added if it is not there yet."""
    source = gate.source.float()
    for step in to.steps:
        if step.axes == ("token", "d_model") and step.value.equal(source):
            return step.name
    to.add("gate_input", source, ("token", "d_model"), "X", "lookup")
    return "gate_input"
