from __future__ import annotations

from benchmarks.timing import Timing, interleaved


class Clock:
    """Goes forward only when work is done."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, seconds: list[float], order: list[str]) -> None:
        order.append(name)
        self.now += seconds.pop(0)


def test_turns_alternate_and_the_first_does_not_count() -> None:
    clock, order = Clock(), list[str]()
    a, b = [99.0, 3.0, 1.0, 8.0], [77.0, 2.0, 2.0, 5.0]
    found = interleaved(
        {"a": lambda: clock.work("a", a, order), "b": lambda: clock.work("b", b, order)}, 3, clock
    )
    assert order == ["a", "b"] * 4
    assert found == {"a": Timing(1.0, 3.0), "b": Timing(2.0, 2.0)}
