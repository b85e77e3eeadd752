"""Tier 2: follows tensors from q·k through softmax to ·V, in models that do not use the attention interface.

Nothing in the model is changed: a TorchFunctionMode sees each operation of this thread, marks the results of batched
products, carries the mark through element-wise and reshaping operations to a softmax and from there to the product with
the values. What was found is checked against the weights the model used (see `follow_read`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from models.pretrained import follow_fused, follow_read
from models.pretrained.follow_graph import ARITHMETIC, MATMUL, SHAPE, Node, operand, result
from models.pretrained.session import Session


@dataclass(eq=False)
class Weighted:
    """Weights that came out of a softmax: what went in, and how that came about."""

    scores: Tensor
    weights: Tensor
    node: Node


class Follower(TorchFunctionMode):
    """Tells the session about every attention it can follow while it is open."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._scores: Any = WeakIdKeyDictionary()  # tensor → Node
        self._weights: Any = WeakIdKeyDictionary()  # tensor → Weighted

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in follow_fused.KERNELS:
            return follow_fused.KERNELS[name](self.session, func, args, kwargs)
        out = func(*args, **kwargs)
        plain = name.strip("_")
        if isinstance(out, Tensor) and (name in MATMUL or plain in SHAPE | ARITHMETIC | {"softmax"}):
            with self.session.surviving(self.session.current):
                self._follow(name, plain, args, kwargs, out)
        return out

    def _follow(
        self, name: str, plain: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Tensor
    ) -> None:
        flat = list(_flat((*args, *kwargs.values())))
        tensors = [value for value in flat if isinstance(value, Tensor)]
        nodes = tuple(self._scores[t] for t in tensors if t in self._scores)
        weighted = next((self._weights[t] for t in tensors if t in self._weights), None)
        if plain == "softmax":
            if nodes:
                self.session.normalised()
                self._weights[out] = Weighted(tensors[0].detach(), out.detach(), nodes[0])
        elif name in MATMUL:
            self._product(name, args, kwargs, tensors, weighted, out)
        elif nodes:
            constants = () if plain in SHAPE else tuple(_constants(flat, self._scores))
            self._scores[out] = Node(plain, nodes, constants)
        elif weighted is not None:
            self._weights[out] = weighted

    def _product(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: list[Tensor],
        weighted: Weighted | None,
        out: Tensor,
    ) -> None:
        if weighted is not None:
            values = [t for t in tensors if t not in self._weights]
            if values:
                value = values[-1]
                if name == "einsum":
                    value, out = operand(args[0], value, 1).transpose(-1, -2), result(args[0], out)
                follow_read.report(self.session, weighted.scores, weighted.weights, weighted.node, value, out)
        elif len(tensors) >= 2 and min(t.ndim for t in tensors[-2:]) >= 3:  # two dimensions: a weight matrix
            self._scores[out] = _dot(name, args, kwargs, tensors)


def _dot(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Tensor]) -> Node:
    query, key = tensors[-2:]
    if name == "einsum":
        return Node("dot", query=operand(args[0], query, 0), key=operand(args[0], key, 1))
    dot = Node("dot", query=query, key=key.transpose(-1, -2))
    if name != "baddbmm":
        return dot
    scaled = Node("mul", (dot,), (float(kwargs.get("alpha", 1)),))
    beta = float(kwargs.get("beta", 1))
    return Node("add", (scaled,), (tensors[0] * beta,)) if beta else scaled


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from value
        else:
            yield value


def _constants(flat: Iterable[Any], scores: Any) -> Iterator[Tensor | float]:
    for value in flat:
        if isinstance(value, Tensor):
            if value not in scores:
                yield value.detach()
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield float(value)
