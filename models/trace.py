"""A trace: one attention layer's whole computation as an ordered list of steps. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from models.tokenizer import Tokens


@dataclass(frozen=True)
class Step:
    """One step: its canonical `name`, its `value` and how that came about.

    `axes` names every dimension of `value` ("head", "query", "key", "token", "d_model", "d_k", "d_v", "concat");
    `formula` is the step in symbols; `inputs` are the steps and parameters it was computed from; `operation` is the
    rule that `models.explain` follows to take a cell apart.
    """

    name: str
    value: Tensor
    axes: tuple[str, ...]
    formula: str
    operation: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Window:
    """Which part of a longer text a trace shows (see `models.window`): the places of its rows and columns in the text,
    from 0; how many queries and keys the text has; and how many of all keys each shown query may see."""

    queries: tuple[int, ...]
    keys: tuple[int, ...]
    all_queries: int
    all_keys: int
    visible: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """The steps of one attention layer in order, with the parameters and settings they used.

    `parameters` holds w_q, w_k (D × H·K), w_v (D × H·V), w_o (H·V × D). `mask` (N × M or H × N × M, bool) is True where
    a query may look at a key, None where everything is visible; `padded` (M, bool) marks keys hidden as padding;
    `empty_rows` (H × N, bool) flags rows in which no key is visible: their weights are 0.

    A trace of one head of a pretrained model has a head axis of length 1; `head` says which head of the model it is.
    Its tokens were cut by the model's own tokenizer: `query_labels` and `key_labels` name them. Beside the weights of
    that head its parameters hold, as far as the model has them, b_q, b_k, b_v, b_o, what rotates queries and keys,
    and the sink of the softmax. `window` says which part of the text it shows; None: all of it.
    """

    steps: tuple[Step, ...]
    scale: float
    temperature: float = 1.0
    tokens: Tokens | None = None
    context_tokens: Tokens | None = None
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    mask: Tensor | None = None
    padded: Tensor | None = None
    empty_rows: Tensor | None = None
    head: int | None = None
    query_labels: tuple[str, ...] | None = None
    key_labels: tuple[str, ...] | None = None
    window: Window | None = None

    def __getitem__(self, name: str) -> Step:
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(f"no step {name!r}; this trace has {', '.join(self.names)}")

    def __contains__(self, name: object) -> bool:
        return any(step.name == name for step in self.steps)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    def tensor(self, name: str) -> Tensor:
        """The value of a step or parameter."""
        return self.parameters[name] if name in self.parameters else self[name].value

    def labels(self, axis: str) -> tuple[str, ...]:
        """Token labels along "query" or "key"; positions where the trace has no tokens."""
        given = self.query_labels if axis == "query" else self.key_labels
        if given is not None:
            return given
        tokens = self.tokens if axis == "query" else self.context_tokens or self.tokens
        count = self["weights"].value.shape[-2 if axis == "query" else -1]
        return tokens.labels if tokens is not None else tuple(str(i) for i in range(count))

    @property
    def heads(self) -> int:
        return self["query"].value.shape[0]

    @property
    def d_model(self) -> int:
        return self["input"].value.shape[-1]

    @property
    def d_k(self) -> int:
        return self["query"].value.shape[-1]

    @property
    def d_v(self) -> int:
        return self["value"].value.shape[-1]
