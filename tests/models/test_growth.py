"""A ratio of times is said only where the runs agree. Clocks and runs are made up: nothing depends on the machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as some

from models import growth
from models.cost import Sizes
from models.growth import BUDGET, FEWEST, MOST, measure, median_interval

SIZES = Sizes(64, 8, 3, 4)


def stopped() -> float:
    return 0.0


def made_up(times: Iterator[tuple[float, float]]) -> Callable[[int], float]:
    """Runs that take these seconds, a pair (short, long) after the other; the first pair warms up."""
    pair = [0.0, 0.0]

    def run(n: int) -> float:
        if n == 64:
            pair[:] = next(times)
        return pair[n != 64]

    return run


def test_a_quiet_machine_is_quickly_believed() -> None:
    found = measure("recurrent", SIZES, made_up((1.0, 2.0) for _ in count()), stopped)
    assert (found.ratio, found.settled, found.pairs) == (2.0, True, FEWEST)


def test_load_that_comes_and_goes_does_not_turn_growth_into_shrinking() -> None:
    """The first half of the runs is three times as slow: medians of blocks would say 0.7 times as long."""
    slow = ((3.0, 6.0) if turn < 10 else (1.0, 2.0) for turn in count())
    found = measure("recurrent", SIZES, made_up(slow), stopped)
    assert found.ratio == 2.0
    assert found.settled


def test_runs_that_do_not_agree_are_not_believed() -> None:
    scattered = ((1.0, 0.6 * 8 ** (0.618 * turn % 1)) for turn in count())  # from 0.6 to 4.8, all alike
    found = measure("attention", SIZES, made_up(scattered), stopped)
    assert not found.settled
    assert found.pairs == MOST


def test_a_slow_layer_is_given_up_in_time() -> None:
    now = count(0.0, BUDGET / 3)
    found = measure("attention", SIZES, made_up((1.0, 2.0) for _ in count()), lambda: next(now))
    assert found.pairs == 3
    assert not found.settled  # three pairs prove nothing


def test_a_clock_that_stands_still_proves_nothing() -> None:
    assert not measure("attention", SIZES, made_up((0.0, 0.0) for _ in count()), stopped).settled


def test_a_real_layer_is_measured() -> None:
    assert measure("attention", Sizes(4, 4, 3, 4), clock=stopped).pairs >= FEWEST


@given(some.lists(some.floats(0.1, 10), min_size=1, max_size=60))
def test_the_median_lies_in_its_interval(values: list[float]) -> None:
    ordered = sorted(values)
    low, high = median_interval(ordered)
    assert low <= ordered[len(ordered) // 2] <= high


@pytest.mark.parametrize(("many", "cut"), [(5, 0), (6, 1), (8, 1), (9, 2), (20, 6), (41, 14)])
def test_intervals_are_those_of_the_tables(many: int, cut: int) -> None:
    """Ranks of the 95 % interval of a median, as in tables of order statistics (Conover 1999, table A3)."""
    expected = (0.0, math.inf) if not cut else (float(cut), float(many + 1 - cut))
    assert median_interval([float(rank) for rank in range(1, many + 1)]) == expected
    assert growth.CERTAINTY == 0.95
