"""What a layer costs that maps n vectors of width d to n others: table 1 of Vaswani et al. 2017, filled in."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """n tokens, width d, kernel width k of a convolution, neighbourhood r of restricted attention. Raises ValueError
    for sizes below 1."""

    n: int
    d: int
    k: int
    r: int

    def __post_init__(self) -> None:
        if min(self.n, self.d, self.k, self.r) < 1:
            raise ValueError(f"sizes of at least 1 were expected, received {self}")


@dataclass(frozen=True)
class Cost:
    """One row of the table: each entry as the paper writes it (inside the O) and as a number. Constant factors are
    left out, as in the paper: numbers are to be compared by how they grow. `path` is infinite where two tokens never
    meet."""

    layer: str
    operations_formula: str
    operations: int
    sequential_formula: str
    sequential: int
    path_formula: str
    path: float


LAYERS = ("attention", "recurrent", "convolutional", "dilated", "restricted")


def table(sizes: Sizes) -> tuple[Cost, ...]:
    """The layers in the paper's order, plain and dilated convolutions apart. A neighbourhood wider than the sentence is
    the sentence.

    The paths are how many layers it takes until the two ends of the sentence have met, for layers as PyTorch has them.
    The paper writes their orders: n/k for contiguous kernels, log_k(n) for dilated ones, n/r for neighbourhoods.
    """
    n, d, k, r = sizes.n, sizes.d, sizes.k, min(sizes.r, sizes.n)
    windows = ("k·n·d²", k * n * d * d, "1", 1)
    return (
        Cost("attention", "n²·d", n * n * d, "1", 1, "1", 1),
        Cost("recurrent", "n·d²", n * d * d, "n", n, "n", n),
        Cost("convolutional", *windows, "⌈(n − 1)/⌊(k − 1)/2⌋⌉", layers_across(n, (k - 1) // 2)),
        Cost("dilated", *windows, "⌈log_k(n)⌉", dilated_layers(n, k)),
        Cost("restricted", "r·n·d", r * n * d, "1", 1, "⌈(n − 1)/⌊r/2⌋⌉", layers_across(n, sizes.r // 2)),
    )


def layers_across(n: int, reach: int) -> float:
    """How many layers it takes from one end of n tokens to the other if each carries `reach` tokens further, at least
    1; infinite if it carries none. A plain convolution of width k carries ⌊(k − 1)/2⌋ (an even one that much on its
    shorter side), attention to a neighbourhood of r tokens ⌊r/2⌋."""
    if n == 1:
        return 1
    return math.inf if reach == 0 else math.ceil((n - 1) / reach)


def dilated_layers(n: int, k: int) -> float:
    """How many dilated convolutions of width k it takes until one output sees n tokens: the smallest whole number p
    with k^p ≥ n, at least 1; infinite for k = 1 and n > 1."""
    if k == 1 and n > 1:
        return math.inf
    layers, seen = 1, k
    while seen < n:
        layers, seen = layers + 1, seen * k
    return layers
