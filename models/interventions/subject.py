"""A model on one input, run again and again with changes. N tokens, A vocabulary, D d_model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from models.errors import InputError
from models.interventions import growth
from models.interventions.changer import Row, changing
from models.pretrained.call import AttentionCall
from models.pretrained.model import ModelTrace
from models.pretrained.unchanged import unchanged
from models.transformer.model import Transformer

Compared = Literal["next", "here", "vectors"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Subject:
    """`inputs` (tensors of batch 1) are what `module` was run on when its attention `calls` were caught.

    `compared` says what an output is: "next", logits of the token that follows a position; "here", logits of the token
    that belongs there; "vectors", last hidden states, for encoders that predict nothing.
    """

    module: nn.Module
    inputs: Mapping[str, Any]
    calls: tuple[AttentionCall, ...]
    compared: Compared

    @classmethod
    def of(cls, module: nn.Module, trace: ModelTrace) -> Subject:
        """The subject of a trace. Raises InputError cause_no_output for a model with another kind of output."""
        inputs = _own_inputs(trace) if isinstance(module, Transformer) else trace.inputs
        return cls(module, inputs, trace.calls, _compared(trace))

    @property
    def positions(self) -> int:
        """How many positions have an output: those of the last stack."""
        return self.calls[-1].queries

    @torch.inference_mode()
    def run(self, rows: Sequence[Row], position: int | None) -> Tensor:
        """The outputs at a position under the changes of each row: rows × A (or × D) in float32; without a position
        those at all of them: rows × N × A (or × D). An empty row changes nothing.

        Raises what `Changer` raises, and InputError cause_not_a_number where the model's output is none.
        """
        with unchanged(self.module):
            output = self._run(rows, position).float()
        if bool((output.isnan() | output.isposinf()).any()):  # −∞ is what a forbidden token has
            raise InputError(
                "cause_not_a_number",
                "The model's output is not a number (NaN) on this text, so there is nothing to compare. Check the "
                "model's weights, or choose another text.",
            )
        return output

    def _run(self, rows: Sequence[Row], position: int | None) -> Tensor:
        if isinstance(self.module, Transformer):
            with changing(self.calls, rows):
                logits: Tensor = self.module(**_expanded(self.inputs, len(rows)))
                return logits if position is None else logits[:, position]
        plan = growth.plan(self.calls, rows) if len(rows) > 1 else None
        if plan is not None and (found := self._grown(plan, rows, position)) is not None:
            return found
        with changing(self.calls, rows):
            return self._at(self.module(**self._asked(_expanded(self.inputs, len(rows)), position)), position)

    def _grown(self, plan: growth.Plan, rows: Sequence[Row], position: int | None) -> Tensor | None:
        """A run whose batch grows; None for a model that does not bear it."""
        with changing(self.calls, plan.batch(rows)):
            try:
                with growth.growing(self.module, plan.joining):
                    output = self._at(self.module(**self._asked(self.inputs, position)), position)
                return plan.back(output, len(rows))
            except InputError:
                raise
            except Exception:
                _log.debug("%s does not let its batch grow", type(self.module).__name__, exc_info=True)
                return None

    def _asked(self, inputs: Mapping[str, Any], position: int | None) -> dict[str, Any]:
        """The inputs, with predictions for one position alone where a model can leave the others out."""
        kept = 0 if position is None else torch.tensor([position])  # 0: all of them
        return {**inputs, "logits_to_keep": kept} if "logits_to_keep" in inputs else dict(inputs)

    def _at(self, output: Any, position: int | None) -> Tensor:
        values: Tensor = output.last_hidden_state if self.compared == "vectors" else output.logits
        if position is None:
            return values
        return values[:, 0 if values.shape[1] < self.positions else position]


def _compared(trace: ModelTrace) -> Compared:
    logits, hidden = getattr(trace.output, "logits", None), getattr(trace.output, "last_hidden_state", None)
    if isinstance(logits, Tensor) and logits.ndim == 3:
        return "next" if any(call.stream == "decoder" for call in trace.calls) else "here"
    if isinstance(hidden, Tensor) and hidden.ndim == 3:
        return "vectors"
    raise InputError(
        "cause_no_output",
        f"{type(trace.output).__name__} has no prediction and no vector for each token, so outputs cannot be compared "
        "token by token. Choose a language model, a translator or a text encoder.",
        output=type(trace.output).__name__,
    )


def _own_inputs(trace: ModelTrace) -> dict[str, Any]:
    """What our own transformer was run on: the ids of its streams."""
    streams = [torch.tensor([tokens.ids]) for tokens in trace.tokens.values()]
    return dict(zip(("ids", "target"), streams, strict=False))


def _expanded(inputs: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Inputs of batch 1 as a batch of `count`."""
    return {
        name: value.expand(count, *value.shape[1:]) if isinstance(value, Tensor) and value.ndim > 1 else value
        for name, value in inputs.items()
    }
