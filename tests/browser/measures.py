"""What components write down when they are laid out, read once they have."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect


def number(element: Locator, name: str) -> float:
    """The measure `name` of a component; waits until it is there."""
    expect(element).to_have_attribute(f"data-{name}", re.compile(r"^\d"))
    return float(element.get_attribute(f"data-{name}") or "nan")


def cell_centre(matrix: Locator, row: int, col: int) -> dict[str, float]:
    """The middle of a cell, in the pixels of the matrix's canvas."""
    left, top, cw, ch = (number(matrix, name) for name in ("left", "top", "cw", "ch"))
    return {"x": left + (col + 0.5) * cw, "y": top + (row + 0.5) * ch}
