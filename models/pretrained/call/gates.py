"""Gates between the heads' outputs and W_O: some models multiply each head's output with what a gate lets through.

Qiu et al. 2025, "Gated Attention for Large Language Models". The gate is a projection of the layer's input through a
sigmoid (Qwen3-Next) or softplus (Laguna), one number for each dimension or one for the whole head. As with everything
about q, k and v, it is found by trying and believed only if it gives the numbers that went into W_O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.pretrained.call.layouts import layouts, matrix
from models.pretrained.call.origin import FITS, tokens_of
from models.pretrained.call.recorded_call import RecordedCall
from models.pretrained.recording import Projected

OPENINGS: dict[str, Callable[[Tensor], Tensor]] = {"sigmoid": torch.sigmoid, "softplus": functional.softplus}


@dataclass(frozen=True)
class Gate:
    """head output · opening(source · W[:, places of the head] + b) goes into `output` (W_O)."""

    source: Tensor  # N D
    linear: Projected
    places: Tensor  # H V, or H 1 where the head has one gate
    opening: str
    output: nn.Module

    def weight(self, head: int) -> tuple[Tensor, Tensor | None]:
        """D × V and V of one head, in float32."""
        weight, bias = matrix(self.linear.module)
        at = self.places[head]
        return weight[:, at].float(), None if bias is None else bias[at].float()

    def closed(self, head: int) -> Tensor:
        """What goes into the opening, N × V or N × 1, in float64."""
        weight, bias = self.weight(head)
        projected = self.source.float().double() @ weight.double()
        return projected if bias is None else projected + bias.double()

    def apply(self, head_output: Tensor, head: int) -> Tensor:
        """N × V after the gate, in float32."""
        return (head_output.double() * OPENINGS[self.opening](self.closed(head))).float()


def find(call: RecordedCall, batch: int) -> Gate | None:
    """The gate of a call whose heads' outputs no layer took up as they are; None if there is none to be proved."""
    sample, around = call.recorded.sample, call.recorded.around
    if sample is None or around.output is not None or torch.finfo(call.recorded.query.dtype).bits < 32:
        return None
    rows, kept = sample
    outputs = kept[batch if len(kept) > 1 else 0].double().transpose(0, 1)  # H n V
    for taker in around.after:
        entered = tokens_of(taker.source, batch, call.batches, call.queries)
        if entered is None or entered.shape[1] != outputs.shape[0] * outputs.shape[2]:
            continue
        aim = entered[rows].double().reshape(len(rows), len(outputs), -1).transpose(0, 1)  # H n V
        for linear in (*around.linears, *around.after):
            source = tokens_of(linear.source, batch, call.batches, call.queries)
            if linear is not taker and source is not None:
                found = _fit(linear, source, rows, outputs, aim)
                if found is not None:
                    return Gate(source, linear, *found, taker.module)
    return None


def _fit(
    linear: Projected, source: Tensor, rows: Tensor, outputs: Tensor, aim: Tensor
) -> tuple[Tensor, str] | None:
    """Which of a layer's numbers, opened how, make the heads' outputs into what went into W_O."""
    weight, bias = matrix(linear.module)
    flat = source[rows].double() @ weight.double()  # n F
    flat = flat if bias is None else flat + bias.double()
    heads, _, width = outputs.shape
    for size in (width, 1):
        for places in layouts(flat.shape[1], heads, size):
            closed = flat[:, places].transpose(0, 1)  # H n V or H n 1
            for name, opening in OPENINGS.items():
                difference = (outputs * opening(closed) - aim).abs().max()
                if bool(difference <= FITS * aim.abs().max()):
                    return places, name
    return None
