"""Time and memory of a layer's forward pass on this machine, measured and honest about noise.

A time is the median of several runs with the fastest and the slowest beside it: a busy machine slows some runs down
and speeds none up. Memory is the most that PyTorch had allocated at once beyond input and parameters, as its profiler
reports every allocation; what a library keeps for itself is not seen.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from models.cost import Sizes
from models.layers import MEASURED, layer

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler would write lines into the server's log
REPEATS = 7
FIRST_LENGTH = 32
TOO_SLOW = 1.0  # seconds: a layer whose single run takes longer is not measured for longer sentences


@dataclass(frozen=True)
class Sample:
    """One layer at one length: seconds of its runs (fastest, median, slowest) and bytes at the peak."""

    layer: str
    sizes: Sizes
    fastest: float
    median: float
    slowest: float
    memory: int
    repeats: int


def lengths(largest: int) -> tuple[int, ...]:
    """Powers of two from FIRST_LENGTH on, up to `largest`."""
    return tuple(2**p for p in range(FIRST_LENGTH.bit_length() - 1, largest.bit_length()) if 2**p <= largest)


def run(sizes: Sizes, largest: int, repeats: int = REPEATS) -> Iterator[Sample]:
    """Measure every layer at every length, short ones first; stop in between by not asking for the next."""
    slow: set[str] = set()
    for length in lengths(largest):
        for name in MEASURED:
            if name in slow:
                continue
            sample = measure(name, replace(sizes, n=length), repeats)
            if sample.median > TOO_SLOW:
                slow.add(name)
            yield sample


def measure(name: str, sizes: Sizes, repeats: int = REPEATS) -> Sample:
    """Time and memory of one forward pass without gradients; one more run before warms up."""
    module = layer(name, sizes)
    x = torch.randn(1, sizes.n, sizes.d, generator=torch.Generator().manual_seed(sizes.n))
    seconds(module, x)
    times = sorted(seconds(module, x) for _ in range(repeats))
    return Sample(
        name, sizes, times[0], times[len(times) // 2], times[-1], peak_memory(module, x), len(times)
    )


@torch.inference_mode()
def seconds(module: nn.Module, x: Tensor) -> float:
    """How long one forward pass takes."""
    started = time.perf_counter()
    module(x)
    return time.perf_counter() - started


@torch.inference_mode()
def peak_memory(module: nn.Module, x: Tensor) -> int:
    """The most bytes that a forward pass had allocated at once; input and parameters were there before."""
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as recorded:
        output = module(x)
    del output
    now = peak = 0
    for event in recorded.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            peak = max(peak, now)
    return peak
