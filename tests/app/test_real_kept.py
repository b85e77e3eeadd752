"""Results that sessions share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.trained.kept import Kept


def test_what_was_used_last_stays() -> None:
    kept: Kept[int] = Kept(2)
    made: list[str] = []

    def get(key: str) -> int:
        return kept.get(key, lambda: made.append(key) or len(made))

    assert [get(key) for key in "abacab"] == [1, 2, 1, 3, 1, 4]
    assert made == ["a", "b", "c", "b"]


def test_work_that_was_given_up_leaves_nothing() -> None:
    kept: Kept[int] = Kept(2)

    def fail() -> int:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        kept.get("a", fail)
    assert kept.get("a", lambda: 7) == 7


def test_many_threads() -> None:
    kept: Kept[int] = Kept(3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: kept.get(n % 5, lambda: n % 5), range(400)))
    assert found == [n % 5 for n in range(400)]
