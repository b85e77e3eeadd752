"""Who may train now: so many at once, the others wait in the order they came."""

from __future__ import annotations

import threading


class Line:
    """The first `places` in the line may work, the others wait. Safe to use from any thread."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._line: list[object] = []
        self._moved = threading.Condition()

    def enter(self, who: object) -> None:
        """Stand at the end, unless already in the line."""
        with self._moved:
            if who not in self._line:
                self._line.append(who)

    def leave(self, who: object) -> None:
        with self._moved:
            if who in self._line:
                self._line.remove(who)
                self._moved.notify_all()

    def served(self, who: object, seconds: float) -> bool:
        """Whether it is the turn of `who`; waits for that up to so many seconds."""
        with self._moved:
            return self._moved.wait_for(lambda: who in self._line[: self.places], seconds)

    def ahead(self, who: object) -> int:
        """How many have to leave first."""
        with self._moved:
            return max(0, self._line.index(who) + 1 - self.places) if who in self._line else 0
