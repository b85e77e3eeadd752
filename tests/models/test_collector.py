"""Freezing leaves nothing behind: garbage is collected before it and found after it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from torch import nn

from models import collector


class Knot:
    """Keeps itself alive until the collector finds it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    gc.unfreeze()
    gc.disable()  # a collection by itself would hide what these tests ask
    yield
    gc.enable()
    gc.unfreeze()


def test_freezing_leaves_out_what_is_there() -> None:
    there = len(gc.get_objects())
    collector.freeze()
    assert gc.get_freeze_count() > there / 2
    assert len(gc.get_objects()) < there / 10


def test_garbage_is_collected_first() -> None:
    seen = weakref.ref(Knot())
    assert seen() is not None
    collector.freeze()
    assert seen() is None


def test_a_frozen_module_goes_when_nobody_holds_it() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    seen = weakref.ref(module)
    collector.freeze()
    del module
    assert seen() is None


@pytest.mark.parametrize("again", [collector.freeze, collector.collect])
def test_frozen_garbage_is_found_the_next_time(again) -> None:  # type: ignore[no-untyped-def]
    knot = Knot()
    seen = weakref.ref(knot)
    collector.freeze()
    del knot
    gc.collect()
    assert seen() is not None, "frozen objects are not searched: this test would say nothing"
    again()
    assert seen() is None
    assert gc.get_freeze_count() > 0


def test_nothing_is_frozen_where_nobody_asked_for_it() -> None:
    seen = weakref.ref(Knot())
    collector.collect()
    assert seen() is None
    assert gc.get_freeze_count() == 0


def test_what_came_later_is_frozen_too() -> None:
    collector.freeze()
    late = [[number] for number in range(5000)]
    collector.collect()
    assert len(gc.get_objects()) < len(late)


def test_many_threads_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda work: work(), [collector.freeze, collector.collect] * 4))
    assert gc.get_freeze_count() > len(gc.get_objects())
