"""The invariant of explanations, for traces of pretrained models."""

from __future__ import annotations

import math

from models.explain import explain
from models.trace import Trace

SMALLEST = 1e-36  # float32 numbers below have fewer digits


def assert_explains(trace: Trace, name: str, index: tuple[int, ...]) -> None:
    """The explanation of a cell evaluates to it, and each factor stands where the explanation says."""
    cell = float(trace[name].value[index])
    found = explain(trace, name, index)
    assert same(found.result, cell), (name, index)
    assert same(found.evaluate(), cell), (name, index, found.evaluate(), cell)
    for term in found.terms:
        for source, number in zip(term.sources, term.factors, strict=False):
            if source is not None:
                assert same(float(trace.tensor(source.name)[source.index]), number), (name, index, source)


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= max(1e-6 * abs(b), SMALLEST)
