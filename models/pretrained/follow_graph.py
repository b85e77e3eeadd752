"""What is known about a tensor on its way from q·k to softmax."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

MATMUL = {"matmul", "bmm", "baddbmm", "einsum", "__matmul__", "__rmatmul__"}
SHAPE = {
    "view", "reshape", "transpose", "permute", "expand", "unsqueeze", "squeeze", "to", "type", "type_as", "float",
    "half", "bfloat16", "contiguous", "clone", "detach", "flatten", "unflatten", "swapaxes", "movedim", "view_as",
}  # fmt: skip
ARITHMETIC = {
    "add", "sub", "mul", "div", "true_divide", "truediv", "radd", "iadd", "isub", "imul", "itruediv", "rmul",
    "masked_fill", "where", "clamp", "max", "maximum", "dropout", "nan_to_num", "tanh", "gather", "index_select",
    "getitem", "cat", "pad", "flip", "narrow",
}  # fmt: skip
DIVISIONS = {"div", "true_divide", "truediv", "itruediv"}
PRODUCTS = {"mul", "rmul", "imul"}
ADDITIONS = {"add", "radd", "iadd", "sub", "isub"}
REARRANGING = {"tanh", "gather", "index_select", "getitem", "cat", "pad", "flip", "narrow"}


@dataclass(eq=False)
class Node:
    """How a tensor came from one or more dot products: an operation on parents and constants.

    A dot product itself has `query` (… N × K) and `key` (… M × K).
    """

    operation: str
    parents: tuple[Node, ...] = ()
    constants: tuple[Tensor | float, ...] = ()
    query: Tensor | None = None
    key: Tensor | None = None

    def dots(self) -> list[Node]:
        """The dot products it goes back to, in order."""
        return [self] if self.query is not None else [dot for parent in self.parents for dot in parent.dots()]


@dataclass(frozen=True)
class Path:
    """What lies between a dot product and softmax: the product of all scales, the tensors that are added, and the
    operations that are neither scaling nor adding nor masking."""

    scale: float
    added: tuple[Tensor, ...]
    odd: tuple[str, ...]


def path(node: Node, dot: Node) -> Path:
    """The way from `dot` to `node`."""
    scale, added, odd = 1.0, [], []
    while node is not dot:
        numbers = [float(c) for c in node.constants if not isinstance(c, Tensor) or c.numel() == 1]
        tensors = [c for c in node.constants if isinstance(c, Tensor) and c.numel() > 1]
        if node.operation in DIVISIONS and numbers:
            scale /= numbers[0]
        elif node.operation in PRODUCTS and numbers:
            scale *= numbers[0]
        elif node.operation in PRODUCTS and not all(_is_mask(t) for t in tensors):
            odd.append("mul(tensor)")
        elif node.operation in ADDITIONS:
            added += [tensor * scale for tensor in tensors]  # what is scaled after it was added
        elif node.operation in REARRANGING:
            odd.append(node.operation)
        node = next(parent for parent in node.parents if dot in parent.dots())
    return Path(scale, tuple(added), tuple(odd))


def _is_mask(tensor: Tensor) -> bool:
    return bool(((tensor == 0) | (tensor == 1)).all())


def operand(equation: str, tensor: Tensor, which: int) -> Tensor:
    """An operand of an einsum with its dimensions in the order batch …, free, contracted."""
    sides, made = _letters(equation, tensor.ndim, which)
    own, other = sides[which], sides[1 - which]
    batch = [c for c in made if c in own and c in other]
    contracted = [c for c in own if c in other and c not in made]
    free = [c for c in own if c not in batch and c not in contracted]
    return tensor.permute(*[own.index(c) for c in batch + free + contracted])


def result(equation: str, tensor: Tensor) -> Tensor:
    """The result of an einsum with its dimensions in the order batch …, of the first operand, of the second."""
    sides, made = _letters(equation, tensor.ndim, None)
    batch = [c for c in made if c in sides[0] and c in sides[1]]
    rows, columns = ([c for c in made if c in side and c not in batch] for side in sides)
    return tensor.permute(*[made.index(c) for c in batch + rows + columns])


def _letters(equation: str, dimensions: int, which: int | None) -> tuple[list[str], str]:
    """The letters of both operands and of the result, an ellipsis written out; `dimensions` is how many the operand
    `which` has, or the result."""
    left, made = equation.replace(" ", "").split("->")
    sides = left.split(",")
    known = made if which is None else sides[which]
    more = "ABCDEFG"[: dimensions - len(known.replace("...", ""))]
    return [side.replace("...", more) for side in sides], made.replace("...", more)
