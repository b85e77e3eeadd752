"""A call and what stands around it in its layer: what its vectors were projected from, a gate, and W_O."""

from __future__ import annotations

from torch import Tensor, nn

from models.errors import InputError
from models.pretrained.call import gates
from models.pretrained.call.gates import Gate
from models.pretrained.call.layouts import matrix
from models.pretrained.call.origin import Origin, find
from models.pretrained.call.recorded_call import RecordedCall


class CallInLayer(RecordedCall):
    """Where queries, keys and values came from and where the heads' outputs go; looked for once, when asked for."""

    def gate(self, batch: int = 0) -> Gate | None:
        """What the heads' outputs are multiplied with before W_O; None for most models."""
        known = self._known
        if ("gate", batch) not in known:
            known["gate", batch] = gates.find(self, batch)
        found: Gate | None = known["gate", batch]
        return found

    @property
    def output_layer(self) -> nn.Module | None:
        """The linear layer that mixes the heads' outputs (W_O), if it is known."""
        if self.recorded.around.output is not None:
            return self.recorded.around.output
        gate = self.gate()
        return None if gate is None else gate.output

    @property
    def has_output(self) -> bool:
        """Whether W_O is known."""
        return self.output_layer is not None

    def contribution(self, head: int, batch: int = 0) -> Tensor:
        """N × d_model: what the head adds to the output, z_h · W_O[h]; over all heads this sums to output − bias.

        z_h is the head's output, after a gate if the model has one.
        Raises InputError where the model's output layer does not take the heads' outputs as they are.
        """
        if self.output_layer is None:
            raise InputError(
                "no_output_projection",
                f"{self.title}: the layer that takes up the heads' outputs was expected to be a linear one, and none "
                "received them as they are. The weights and head outputs of this model can be looked at instead.",
                name=self.title,
            )
        weight, _ = matrix(self.output_layer)
        width = self.recorded.value.shape[-1]
        rows = weight[head * width : (head + 1) * width].double()
        return (self.written_output(head, batch).double() @ rows).float()

    def written_output(self, head: int, batch: int = 0) -> Tensor:
        """N × V: what goes into W_O, the head's output after a gate if there is one."""
        gate, output = self.gate(batch), self.head_output(head, batch)
        return output if gate is None else gate.apply(output, head)

    def origin(self, side: str, batch: int = 0) -> Origin | None:
        """How "query", "key" or "value" was made from the layer's input; None if that cannot be reproduced."""
        at = (side, batch)
        if at not in self._known:
            target = getattr(self.recorded, side)
            self._known[at] = find(target, self.recorded.around, batch, turned=side != "value")
        found: Origin | None = self._known[at]
        return found
