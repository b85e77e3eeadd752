"""How much longer a layer takes for a sentence twice as long, said only if the runs agree on it.

A machine that is busy for a second makes everything in that second slow, so medians of two blocks of runs can be well
settled and wrong: "twice the sentence took 0.8 times as long". Here short and long runs alternate; each pair was made
under the same load, and of their ratios the median is taken with its confidence interval from order statistics, which
supposes nothing about how times are distributed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from models.cost import Sizes
from models.layers import layer
from models.stopwatch import seconds

NARROW = 1.25  # times the lower end of the interval: a ratio this well known may be said
FEWEST, MOST = 7, 41  # pairs of runs
BUDGET = 2.5  # seconds for all pairs
CERTAINTY = 0.95


@dataclass(frozen=True)
class Growth:
    """`ratio` is the median of `pairs` ratios of times, long to short; it lies from `low` to `high` with CERTAINTY."""

    layer: str
    n: int
    ratio: float
    low: float
    high: float
    pairs: int

    @property
    def settled(self) -> bool:
        """Whether the runs agree well enough for the ratio to be said."""
        return 0 < self.low <= self.high <= NARROW * self.low < math.inf


def measure(
    name: str,
    sizes: Sizes,
    run: Callable[[int], float] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Growth:
    """From n to 2n tokens: pairs of runs until they agree, or are too many or too long. `run` gives the seconds of one
    run at a length (by default of the layer itself), `clock` is what the budget is counted by."""
    run = _runner(name, sizes) if run is None else run
    n = sizes.n
    run(n), run(2 * n)  # warm up
    ratios: list[float] = []
    end = clock() + BUDGET
    while True:
        short, long = run(n), run(2 * n)
        ratios.append(long / short if short > 0 else math.inf)
        found = _growth(name, n, ratios)
        done = found.settled and len(ratios) >= FEWEST
        if done or len(ratios) >= MOST or clock() >= end:
            return found


def _growth(name: str, n: int, ratios: Sequence[float]) -> Growth:
    ordered = sorted(ratios)
    low, high = median_interval(ordered)
    return Growth(name, n, ordered[len(ordered) // 2], low, high, len(ordered))


def median_interval(ordered: Sequence[float]) -> tuple[float, float]:
    """Between which of these ordered values the median lies with CERTAINTY: as many values are cut off at either end
    as a fair coin can explain. From 0 to infinity if they are too few."""
    count, cut, tail = len(ordered), 0, 0.0
    while (tail := tail + math.comb(count, cut) / 2**count) <= (1 - CERTAINTY) / 2:
        cut += 1
    return (0.0, math.inf) if cut == 0 else (ordered[cut - 1], ordered[count - cut])


def _runner(name: str, sizes: Sizes) -> Callable[[int], float]:
    made = {n: layer(name, replace(sizes, n=n)) for n in (sizes.n, 2 * sizes.n)}
    inputs = {n: torch.randn(1, n, sizes.d, generator=torch.Generator().manual_seed(n)) for n in made}
    return lambda n: seconds(made[n], inputs[n])
