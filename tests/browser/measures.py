"""What components write down when they are laid out, read once they have."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from scripts import live

TIMERS = 1_000  # milliseconds: longer than any timer after which a component reports what it shows
POLL = 100  # milliseconds between two looks


def number(element: Locator, name: str) -> float:
    """The measure `name` of a component; waits until it is there."""
    expect(element).to_have_attribute(f"data-{name}", re.compile(r"^\d"))
    return float(element.get_attribute(f"data-{name}") or "nan")


def cell_centre(matrix: Locator, row: int, col: int) -> dict[str, float]:
    """The middle of a cell, in the pixels of the matrix's canvas."""
    left, top, cw, ch = (number(matrix, name) for name in ("left", "top", "cw", "ch"))
    return {"x": left + (col + 0.5) * cw, "y": top + (row + 0.5) * ch}


def settle(page: Page) -> None:
    """Wait until the page has come to rest: every timer that was set in it has run, and the app has answered.

    The wait is a timer of the page itself: a page runs its timers in the order in which they are due, so that this one
    is behind those of the components however slow the machine is. What the answer sets off is waited for as well.
    """
    for _ in range(2):
        page.evaluate(f"() => new Promise(done => setTimeout(done, {TIMERS}))")
        live.wait_drawn(page)


def until(page: Page, holds: Callable[[], bool], what: str, limit: float = 240.0) -> None:
    """Wait until a condition holds. Raises AssertionError, with `what` was waited for, after `limit` seconds."""
    end = time.monotonic() + limit
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"waited {limit:.0f} s for {what}")
        page.wait_for_timeout(POLL)
