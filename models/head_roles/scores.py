"""The measured scores of all heads of a layer or a model, beside what even attention would score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from models.head_roles.measures import Tally
from models.head_roles.places import SHARES

MEASURES = (*SHARES, "diagonal", "distance", "entropy", "evenness")
LEAST = 3  # queries; from fewer nothing can be said


@dataclass(frozen=True)
class Scores:
    """`values` has for every measure one number per head (H, float32), `even` what a head would score that looks at
    all keys alike, `counts` over how many queries. A measure that could not be taken is in none of them.
    `aside` says that the first token was set aside (`measures.rest_tally`)."""

    values: Mapping[str, Tensor]
    even: Mapping[str, float]
    counts: Mapping[str, int]
    aside: bool = False

    def value(self, measure: str, head: int) -> float | None:
        """The score of a head; None if it was not measured, or is not a number."""
        if measure not in self.values:
            return None
        found = float(self.values[measure][head])
        return None if math.isnan(found) else found

    def excess(self, measure: str, head: int) -> float | None:
        """How far a share lies above even attention: 0 is as even attention, 1 is all there is. None where even
        attention has everything already, or nothing was measured. (As Cohen's κ corrects for chance.)"""
        value, even = self.value(measure, head), self.even.get(measure, 1.0)
        return None if value is None or even > 1 - 1e-6 else (value - even) / (1 - even)


def finished(counted: Tally, *, aside: bool = False) -> Scores:
    """The means of a tally whose last head is the even one, with or without the first token."""
    found = means(counted)
    return Scores(
        {name: mean[:-1] for name, mean in found.items()},
        {name: float(mean[-1]) for name, mean in found.items()},
        {name: counted.counts[name] for name in found},
        aside,
    )


def means(counted: Tally) -> dict[str, Tensor]:
    """One number per head (float32) for every measure that at least `LEAST` queries speak for."""
    enough = [name for name in MEASURES if counted.counts.get(name, 0) >= LEAST]
    return {name: (counted.sums[name] / counted.counts[name]).float() for name in enough}
