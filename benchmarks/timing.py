"""Times that can be compared although the machine is busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Timing:
    """Seconds of several repeats: the smallest, which other work on the machine disturbed least, and the median."""

    least: float
    median: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(min(seconds), median(seconds))


def interleaved(
    functions: Mapping[str, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Timing]:
    """Call all functions in turns, `repeats` times after a first round that is not counted.

    The clock counts the processor's time for this process: on one thread that is what an idle machine would take.
    """
    taken: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(repeats + 1):
        for name, function in functions.items():
            begun = clock()
            function()
            if turn:
                taken[name].append(clock() - begun)
    return {name: Timing.of(seconds) for name, seconds in taken.items()}
