"""What was painted on a canvas, read back: which colour at a place, which text, which lines (see recorder.js)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator

from components.theme import Theme

RECORDER = (Path(__file__).parent / "recorder.js").read_text("utf-8")
Colour = tuple[float, float, float]
MANY = 150  # cells that are looked at where there are more
NOT_A_NUMBER: Colour = (214, 31, 31)


@dataclass(frozen=True)
class Mark:
    """One thing that was painted: "fill", "frame", "line", "area", "text" or "pixels"."""

    kind: str
    x: float
    y: float
    alpha: float
    colour: str = ""
    w: float = 0.0
    h: float = 0.0
    width: float = 0.0
    text: str = ""
    align: str = ""
    font: str = ""
    dashed: bool = False
    points: tuple[tuple[float, float], ...] = ()
    clip: dict[str, float] | None = None
    rows: int = 0
    cols: int = 0
    data: list[int] = field(default_factory=list, repr=False)

    def covers(self, x: float, y: float) -> bool:
        inside = self.clip is None or within(
            self.clip["x"], self.clip["y"], self.clip["w"], self.clip["h"], x, y
        )
        return inside and within(self.x, self.y, self.w, self.h, x, y)

    def pixel(self, x: float, y: float) -> Colour:
        """The colour of an image at a place on the canvas."""
        col = min(int((x - self.x) / self.w * self.cols), self.cols - 1)
        row = min(int((y - self.y) / self.h * self.rows), self.rows - 1)
        red, green, blue, _ = self.data[4 * (row * self.cols + col) :][:4]
        return red, green, blue


@dataclass(frozen=True)
class Painting:
    """All marks of a canvas in the order in which they were painted."""

    marks: list[Mark]
    paper: Colour

    def of(self, *kinds: str) -> Iterator[Mark]:
        return (mark for mark in self.marks if mark.kind in kinds)

    @property
    def texts(self) -> list[Mark]:
        return list(self.of("text"))

    def colour_at(self, x: float, y: float) -> Colour:
        """What is seen there of fills and images; a pattern counts as paper."""
        seen = self.paper
        for mark in self.of("fill", "pixels"):
            if mark.covers(x, y) and mark.colour != "pattern":
                own = mark.pixel(x, y) if mark.kind == "pixels" else rgb(mark.colour)
                seen = mix(seen, own, mark.alpha)
        return seen

    def hatched_at(self, x: float, y: float) -> bool:
        """Whether what was painted there last is hatched: lines within the cell, or a pattern."""
        hatched = False
        for mark in self.marks:
            if mark.kind in ("fill", "pixels") and mark.covers(x, y):
                hatched = mark.colour == "pattern" or (hatched and mark.clip is None and is_small(mark))
            elif mark.kind == "line" and mark.clip is not None:
                clip = mark.clip
                hatched = hatched or within(clip["x"], clip["y"], clip["w"], clip["h"], x, y)
        return hatched

    def text_in(self, x: float, y: float, w: float, h: float) -> str | None:
        """The text that stands in the middle of a cell; None if there is none."""
        found = [
            mark.text for mark in self.texts if mark.align == "center" and within(x, y, w, h, mark.x, mark.y)
        ]
        assert len(found) <= 1, found
        return found[0] if found else None


def is_small(mark: Mark) -> bool:
    """What is cleared behind a number that stands on a hatched cell."""
    return mark.h <= 20


def painting(canvas: Locator, paper: Colour) -> Painting:
    """What is on this canvas now."""
    marks = canvas.evaluate("canvas => canvas.painted ?? []")
    return Painting([_mark(one) for one in marks], paper)


def _mark(one: dict[str, Any]) -> Mark:
    known = {name: one[name] for name in Mark.__dataclass_fields__ if one.get(name) is not None}
    known["points"] = tuple((x, y) for x, y in known.get("points", ()))
    return Mark(**known)


def within(left: float, top: float, w: float, h: float, x: float, y: float) -> bool:
    return left <= x <= left + w and top <= y <= top + h


def rgb(text: str) -> Colour:
    """A colour as a canvas says it: "#1d2129", "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)"."""
    if text.startswith("#"):
        return tuple(float(int(text[at : at + 2], 16)) for at in (1, 3, 5))  # type: ignore[return-value]
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", text)[:3])
    return red, green, blue


def mix(under: Colour, over: Colour, share: float) -> Colour:
    red, green, blue = (a + (b - a) * share for a, b in zip(under, over, strict=True))
    return red, green, blue


def signed_fill(value: float, largest: float, theme: Theme) -> Colour:
    """The fill of a value on the scale that diverges around 0."""
    hue = theme.negative if value < 0 else theme.positive
    share = 0.0 if value == 0 else 0.015 + 0.78 * min(1.0, abs(value) / largest)
    return mix(rgb(theme.paper), rgb(hue), share)


def weight_fill(weight: float, gamma: float, theme: Theme) -> Colour:
    """The fill of a weight: w^γ of the way from paper to the weights' hue."""
    return mix(rgb(theme.paper), rgb(theme.weights), 0.02 + 0.92 * weight**gamma)


def same(found: Colour, expected: Colour, rounding: float = 1.6) -> bool:
    """Whether two colours differ by rounding alone."""
    return bool(found == pytest.approx(expected, abs=rounding))


def each(rows: int, cols: int, look: Callable[[int, int], None]) -> None:
    """Look at every cell; of very many at `MANY`, the corners among them."""
    cells = list(product(range(rows), range(cols)))
    chosen = (
        cells if len(cells) <= MANY else {*Random(rows).sample(cells, MANY), *product(range(3), range(3))}
    )
    corners = product((0, rows - 1), (0, cols - 1))
    for row, col in {*chosen, *corners}:
        look(row, col)
