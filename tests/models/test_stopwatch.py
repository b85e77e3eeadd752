"""The measuring: what it counts as memory, what it repeats, and when it gives up on a layer."""

from __future__ import annotations

import threading
import time

import pytest
import torch
from torch import Tensor, nn

from models import stopwatch
from models.cost import Sizes
from models.layers import MEASURED
from models.stopwatch import Sample, lengths, measure, peak_memory, run, seconds

SIZES = Sizes(64, 8, 3, 4)


class Held(nn.Module):
    """Has two arrays of its input's size at once, then a third after one is gone."""

    def forward(self, x: Tensor) -> Tensor:
        first = x + 1
        second = first + 1
        del first
        return second + 1


def test_memory_is_the_most_at_once() -> None:
    x = torch.zeros(1, 100, 64)
    assert peak_memory(Held(), x) == pytest.approx(2 * x.numel() * 4, abs=64)  # and the numbers 1
    assert peak_memory(nn.Identity(), x) == 0


def test_memory_is_seen_from_any_thread() -> None:
    found: list[int] = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: found.append(peak_memory(Held(), torch.zeros(1, 100, 64))))
        thread.start()
        thread.join()
    assert found == pytest.approx([51_200, 51_200], abs=64)


def test_attention_s_memory_grows_with_the_square_of_n_and_the_others_with_n() -> None:
    grown = {
        name: measure(name, Sizes(1024, 8, 3, 16), 1).memory / measure(name, Sizes(512, 8, 3, 16), 1).memory
        for name in MEASURED
    }
    assert grown["attention"] > 3.5
    assert all(grown[name] < 2.5 for name in ("recurrent", "convolutional", "restricted"))
    assert measure("attention", Sizes(512, 8, 3, 16), 1).memory >= 512 * 512 * 4


def test_a_time_is_a_time() -> None:
    class Sleeper(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            time.sleep(0.02)
            return x

    assert 0.02 <= seconds(Sleeper(), torch.zeros(1)) < 2


def test_median_and_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([9.0, 3.0, 1.0, 2.0])  # the first one warms up
    monkeypatch.setattr(stopwatch, "seconds", lambda module, x: next(times))
    sample = measure("convolutional", SIZES, repeats=3)
    assert (sample.fastest, sample.median, sample.slowest, sample.repeats) == (1.0, 2.0, 3.0, 3)


def test_lengths_are_powers_of_two() -> None:
    assert lengths(256) == (32, 64, 128, 256)
    assert lengths(300) == (32, 64, 128, 256)
    assert lengths(16) == ()


def test_every_layer_at_every_length_and_no_more_of_the_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(name: str, sizes: Sizes, repeats: int) -> Sample:
        late = 5.0 if name == "recurrent" and sizes.n >= 64 else 0.1
        return Sample(name, sizes, late, late, late, 0, repeats)

    monkeypatch.setattr(stopwatch, "measure", fake)
    found = [(sample.layer, sample.sizes.n) for sample in run(SIZES, 128)]
    assert found[:5] == [(name, 32) for name in MEASURED]
    assert ("recurrent", 64) in found  # measured, and found too slow
    assert ("recurrent", 128) not in found
    assert len(found) == 14
