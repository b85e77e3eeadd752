"""What was recorded of one attention call: queries, keys and values, one head at a time, and the weights they give."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from models import steps
from models.pretrained import masking, naming
from models.pretrained.recording import Recorded


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """One attention of one layer. Only q, k, v and masks are held; matrices are computed for the head asked for.

    `query_labels` and `key_labels` name the tokens (of batch element 0), `padded` (B × M, bool) is True for keys that
    are padding. Heads and batch elements count from 0; Swin's windows are batch elements here.
    """

    recorded: Recorded
    place: naming.Place
    query_labels: tuple[str, ...] | None = None
    key_labels: tuple[str, ...] | None = None
    padded: Tensor | None = None
    _known: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False)  # what was found out before

    @property
    def stream(self) -> str:
        """ "encoder", "decoder", "vision", "text", "audio" or "main"."""
        return self.place.stream

    @property
    def kind(self) -> str:
        """ "self" or "cross"."""
        return self.place.kind

    @property
    def layer(self) -> int:
        """The model's own number of the layer, from 0: layers without attention are counted, too."""
        return self.place.layer

    @property
    def name(self) -> str:
        """Path of the attention module in the model."""
        return self.recorded.name

    @property
    def title(self) -> str:
        """What the module is called: its path, or its class where it has none, as a model that is one attention."""
        return self.name or (
            "attention" if self.recorded.module is None else type(self.recorded.module).__name__
        )

    @property
    def tier(self) -> int:
        """1: through the attention interface, 2: by following tensors, 3: the model's weights alone."""
        return self.recorded.tier

    @property
    def of_tokens(self) -> bool:
        """Whether rows and columns are known to be tokens, one each."""
        return self.query_labels is not None and self.key_labels is not None

    @property
    def batches(self) -> int:
        return max(self.recorded.query.shape[0], self.recorded.key.shape[0])

    @property
    def heads(self) -> int:
        return self.recorded.query.shape[1]

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values; several query heads share one where there are fewer."""
        return self.recorded.key.shape[1]

    @property
    def queries(self) -> int:
        return self.recorded.query.shape[2]

    @property
    def keys(self) -> int:
        return self.recorded.key.shape[2]

    def kv_head(self, head: int) -> int:
        """The key–value head that serves a query head (Ainslie et al. 2023)."""
        return head * self.kv_heads // self.heads

    def with_labels(self, query: tuple[str, ...], key: tuple[str, ...], padded: Tensor | None = None) -> Self:
        """The same call with names for its tokens."""
        return replace(
            self, query_labels=query, key_labels=key, padded=self.padded if padded is None else padded
        )

    def query(self, head: int, batch: int = 0) -> Tensor:
        """N × K in float32, as it entered the dot product."""
        return self._of(self.recorded.query, batch, self._checked(head))

    def key(self, head: int, batch: int = 0) -> Tensor:
        """M × K in float32, as it entered the dot product, of the key–value head that serves `head`."""
        return self._of(self.recorded.key, batch, self.kv_head(self._checked(head)))

    def value(self, head: int, batch: int = 0) -> Tensor:
        """M × V in float32."""
        shared = self._checked(head) * self.recorded.value.shape[1] // self.heads
        return self._of(self.recorded.value, batch, shared)

    def weights(self, head: int, batch: int = 0, rows: Tensor | None = None) -> Tensor:
        """N × M: how much each query looks at each key, or only the queries `rows`. A row that sees nothing is 0."""
        at: Any = slice(None) if rows is None else rows
        if self.recorded.weights is not None:
            return self._of(self.recorded.weights, batch, self._checked(head))[at]
        scores = self.masked_scores(head, batch, rows)
        sink = masking.sink(self.recorded, batch, head)
        if sink is None:
            return steps.softmax(scores)
        return steps.softmax(torch.cat((scores, sink[at, None]), -1))[:, :-1]

    def masked_scores(self, head: int, batch: int = 0, rows: Tensor | None = None) -> Tensor:
        """N × M: what softmax turns into weights, −∞ where a key is hidden, or only the queries `rows`."""
        at: Any = slice(None) if rows is None else rows
        scores = (
            steps.dot_products(self.query(head, batch)[at], self.key(head, batch)) * self.recorded.scaling
        )
        if (cap := self.recorded.softcap) is not None:
            scores = cap * torch.tanh(scores / cap)
        bias = masking.added(self.recorded, batch, head)
        seen = masking.visible(self.recorded, batch, head)
        scores = scores if bias is None else steps.add_bias(scores, bias[at])
        return scores if seen is None else steps.apply_mask(scores, seen[at])

    def sink_mass(self, head: int, batch: int = 0) -> Tensor | None:
        """N: what each row gives to the sink instead of a token; None for a model without sinks."""
        seen = masking.sink(self.recorded, batch, head)
        return None if seen is None else 1 - self.weights(head, batch).sum(-1)

    def visible(self, head: int = 0, batch: int = 0) -> Tensor | None:
        """N × M, True where a query may look at a key; None where it may look everywhere."""
        return masking.visible(self.recorded, batch, head)

    def head_output(self, head: int, batch: int = 0) -> Tensor:
        """N × V: weights · value."""
        return self.weights(head, batch) @ self.value(head, batch)

    @cached_property
    def finite(self) -> bool:
        """Whether queries, keys, values and weights are numbers throughout: no NaN, no infinity."""
        kept = self.recorded
        tensors = (kept.query, kept.key, kept.value, kept.weights)
        return all(tensor is None or bool(tensor.isfinite().all()) for tensor in tensors)

    def _checked(self, head: int) -> int:
        if not 0 <= head < self.heads:
            raise IndexError(f"a head from 0 to {self.heads - 1} was expected, received {head}")
        return head

    @staticmethod
    def _of(tensor: Tensor, batch: int, head: int) -> Tensor:
        return tensor[batch if tensor.shape[0] > 1 else 0, head].float()

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a call holds on to its model and is not to be pickled: keep its trace(head) instead")
