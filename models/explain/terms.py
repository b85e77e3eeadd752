"""What an explanation is: an operation, its terms, and the rule that makes the result from the terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Index = tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """Where a factor stands: the step or parameter, and the index of the cell in it."""

    name: str
    index: Index


@dataclass(frozen=True)
class Term:
    """One term: a `label` ("3" for the third dimension, or a token), its `factors` and their `value`.

    `sources` says for each factor where it stands; a factor that is a setting (scale, temperature) has none.
    """

    label: str
    factors: tuple[float, ...]
    value: float
    sources: tuple[Source | None, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """How one cell came about.

    `operation` is "lookup", "copy", "sum", "product", "dot", "sine", "cosine", "mask", "softmax", "softcap", "sigmoid",
    "softplus", "rms_norm" or "layer_norm"; `terms` are what it was made from, `result` is the cell. For softmax
    `chosen` is the key that the cell is the share of, for the norms the dimension that the cell is. A dot product may
    end with a bias, a term of one factor.
    """

    step: str
    index: Index
    operation: str
    terms: tuple[Term, ...]
    result: float
    chosen: int = 0

    def evaluate(self) -> float:
        """The result, recomputed in float64 from the factors of the terms alone."""
        return _RULES[self.operation]([term.factors for term in self.terms], self.chosen)


Factors = list[tuple[float, ...]]


def total(values: list[float]) -> float:
    """The sum, exact where it is finite; opposite infinities make NaN as in floating-point arithmetic."""
    if all(math.isfinite(value) for value in values):
        return math.fsum(values)
    return sum(values)


def softmax_exponent(score: float, largest: float, temperature: float) -> float:
    """e^((score − largest)/temperature), with 0 for a masked score."""
    return 0.0 if score == -math.inf else math.exp((score - largest) / temperature)


def _share(factors: Factors, chosen: int) -> float:
    if any(math.isnan(factor) for term in factors for factor in term):
        return math.nan
    exponents = [softmax_exponent(*term) for term in factors]
    whole = total(exponents)
    return exponents[chosen] / whole if whole else 0.0


def _root_mean_square(factors: Factors, chosen: int) -> float:
    """The chosen number by the root of the vector's mean square, times its weight; factors are (x, weight, ε)."""
    value, weight, epsilon = factors[chosen]
    return value / math.sqrt(total([term[0] ** 2 for term in factors]) / len(factors) + epsilon) * weight


def _standardised(factors: Factors, chosen: int) -> float:
    """(x − mean)/√(variance + ε), times a weight plus a bias; factors are (x, weight, bias, ε)."""
    value, weight, bias, epsilon = factors[chosen]
    mean = total([term[0] for term in factors]) / len(factors)
    variance = total([(term[0] - mean) ** 2 for term in factors]) / len(factors)
    return (value - mean) / math.sqrt(variance + epsilon) * weight + bias


def _capped(factors: Factors, _: int) -> float:
    """cap · tanh(x / cap)."""
    value, cap = factors[0]
    return cap * math.tanh(value / cap)


def _sigmoid(x: float) -> float:
    """1 / (1 + e^−x), written so that nothing overflows."""
    small = math.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1.0 + small)


def _softplus(x: float) -> float:
    """log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


_RULES: dict[str, Callable[[Factors, int], float]] = {
    "lookup": lambda factors, _: factors[0][0],
    "copy": lambda factors, _: factors[0][0],
    "sum": lambda factors, _: total([term[0] for term in factors]),
    "product": lambda factors, _: math.prod(factors[0]),
    "dot": lambda factors, _: total([math.prod(term) for term in factors]),
    "sine": lambda factors, _: math.sin(factors[0][0] * factors[0][1]),
    "cosine": lambda factors, _: math.cos(factors[0][0] * factors[0][1]),
    "mask": lambda factors, _: -math.inf if factors[0][1] == -math.inf else factors[0][0],
    "softmax": _share,
    "softcap": _capped,
    "sigmoid": lambda factors, _: _sigmoid(factors[0][0]),
    "softplus": lambda factors, _: _softplus(factors[0][0]),
    "rms_norm": _root_mean_square,
    "layer_norm": _standardised,
}
