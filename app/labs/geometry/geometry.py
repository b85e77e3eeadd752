"""What the geometry laboratory looks at: the user's own query and keys, and what stretching one of them does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from models.attention import scaled_dot_product_attention
from models.geometry import Product, around_query, take_apart
from models.trace import Trace


@dataclass(frozen=True)
class Looked:
    """Query `i` of a head and all its keys, one of them (`j`) chosen. `factor` stretches the query, or only the chosen
    key if `stretched` is "key"."""

    trace: Trace
    head: int
    i: int
    j: int
    factor: float = 1.0
    stretched: str = "query"

    @property
    def labels(self) -> tuple[str, ...]:
        return self.trace.labels("key")

    @property
    def query(self) -> Tensor:
        """K, float64."""
        return self.trace["query"].value[self.head, self.i].double()

    @property
    def keys(self) -> Tensor:
        """M × K, float64."""
        return self.trace["key"].value[self.head].double()

    @cached_property
    def stretched_query(self) -> Tensor:
        return self.query * (self.factor if self.stretched == "query" else 1.0)

    @cached_property
    def stretched_keys(self) -> Tensor:
        keys = self.keys.clone()
        if self.stretched == "key":
            keys[self.j] *= self.factor
        return keys

    @cached_property
    def products(self) -> list[Product]:
        """|q|, |k|, cos θ and q·k for every key, as stretched."""
        return [take_apart(self.stretched_query, key) for key in self.stretched_keys]

    @cached_property
    def weights(self) -> Tensor:
        """The attention weights of the row (M) as they are."""
        return self._weights(self.query, self.keys)

    @cached_property
    def stretched_weights(self) -> Tensor:
        """The same with the stretched vector."""
        return self._weights(self.stretched_query, self.stretched_keys)

    def _weights(self, query: Tensor, keys: Tensor) -> Tensor:
        mask = self.trace.mask
        found = scaled_dot_product_attention(
            query[None],
            keys,
            self.trace["value"].value[self.head].double(),
            mask=None if mask is None else (mask if mask.ndim == 2 else mask[self.head])[self.i][None],
            temperature=self.trace.temperature,
        )
        return found.weights[0]

    @cached_property
    def around(self) -> Tensor:
        """The keys as they are, around the query in a plane (M × 2)."""
        return around_query(self.query, self.keys)

    @property
    def visible(self) -> Tensor:
        """Which keys the query may look at (M, bool)."""
        if self.trace.mask is None:
            return torch.ones(len(self.keys), dtype=torch.bool)
        mask = self.trace.mask
        return (mask if mask.ndim == 2 else mask[self.head])[self.i]


def entropy(weights: Tensor) -> float:
    """−Σ w·ln w in nats; 0 for one key alone."""
    return float(torch.special.entr(weights).sum())
