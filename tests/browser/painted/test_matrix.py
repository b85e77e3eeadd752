"""What a matrix paints, cell by cell, against the numbers it was given."""

from __future__ import annotations

import math

import numpy as np
import pytest

from components import theme
from components.head_grid import gamma
from components.theme import Theme
from tests.browser.measures import number
from tests.browser.painted.cases import MATRICES, MatrixCase
from tests.browser.painted.conftest import Painted
from tests.browser.painted.reading import (
    NOT_A_NUMBER,
    Colour,
    each,
    painting,
    rgb,
    same,
    signed_fill,
    weight_fill,
)

PRINTED = ("looks", "one cell", "equal sides", "weights, causal")
AS_IMAGE = ("an image", "an image of weights")


def expected_fill(case: MatrixCase, row: int, col: int, colours: Theme) -> Colour | None:
    """None for a cell that is not filled but hatched."""
    value = float(case.values[row, col])
    if case.hidden(row, col):
        return None
    if math.isnan(value):
        return NOT_A_NUMBER
    if math.isinf(value):
        return None
    if case.scale == "weights":
        return weight_fill(value, gamma(case.values.shape[1]), colours)
    return signed_fill(value, largest(case), colours)


def largest(case: MatrixCase) -> float:
    """The largest size of a number that can be seen."""
    rows, cols = case.values.shape
    seen = [abs(float(case.values[r, c])) for r in range(rows) for c in range(cols) if not case.hidden(r, c)]
    return max((size for size in seen if math.isfinite(size)), default=0.0)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", MATRICES)
def test_every_cell_has_its_own_colour(show: Painted, name: str, dark: bool) -> None:
    case, colours = MATRICES[name], theme.theme(dark)
    root = show("matrix", name, dark=dark).locator(".am-matrix")
    left, top, cw, ch = (number(root, measure) for measure in ("left", "top", "cw", "ch"))
    found = painting(root.locator("canvas.picture"), rgb(colours.paper))

    def look(row: int, col: int) -> None:
        # off the middle, where a number may stand or a cross
        x, y = left + (col + 0.5) * cw, top + (row + 0.5) * ch
        if name not in AS_IMAGE:
            x, y = left + col * cw + 2.5, top + row * ch + 2.5
        expected = expected_fill(case, row, col, colours)
        if expected is None:
            assert found.hatched_at(x, y), (row, col)
        else:
            assert not found.hatched_at(x, y), (row, col)
            assert same(found.colour_at(x, y), expected), (row, col, case.values[row, col])

    each(*case.values.shape, look)


@pytest.mark.parametrize("name", PRINTED)
def test_every_cell_prints_its_own_number(show: Painted, name: str) -> None:
    case = MATRICES[name]
    root = show("matrix", name).locator(".am-matrix")
    left, top, cw, ch = (number(root, measure) for measure in ("left", "top", "cw", "ch"))
    found = painting(root.locator("canvas.picture"), rgb(theme.LIGHT.paper))

    def look(row: int, col: int) -> None:
        value = float(case.values[row, col])
        text = found.text_in(left + col * cw, top + row * ch, cw, ch)
        assert text in (theme.cell_number(value), theme.short_number(value)), (row, col)

    each(*case.values.shape, look)


def test_labels_are_counted_from_zero_in_order(show: Painted) -> None:
    root = show("matrix", "equal sides").locator(".am-matrix")
    left, top, cw, ch = (number(root, measure) for measure in ("left", "top", "cw", "ch"))
    texts = painting(root.locator("canvas.picture"), rgb(theme.LIGHT.paper)).texts
    rows = sorted((mark for mark in texts if mark.x < left and mark.y > top), key=lambda mark: mark.y)
    cols = sorted((mark for mark in texts if mark.y < top and mark.x > left), key=lambda mark: mark.x)
    assert [mark.text for mark in rows] == [mark.text for mark in cols] == [str(n) for n in range(7)]
    assert [mark.y for mark in rows] == pytest.approx([top + (n + 0.5) * ch for n in range(7)], abs=1.5)
    assert np.diff([mark.x for mark in cols]) == pytest.approx([cw] * 6, abs=1.5)
