"""What the small pictures of heads, the grid of measured values and the links paint, against what they were given."""

from __future__ import annotations

import math

import numpy as np
import pytest

from components import theme
from components.head_grid import gamma
from components.theme import Theme
from tests.browser.painted.cases import HEADS, LINKS, TOKENS, VALUES, HeadsCase, LinksCase
from tests.browser.painted.conftest import Painted
from tests.browser.painted.reading import (
    NOT_A_NUMBER,
    Colour,
    Mark,
    Painting,
    each,
    mix,
    painting,
    rgb,
    same,
    weight_fill,
)

THEMES = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


# ---- all heads at once ---------------------------------------------------------------------------------------------


@THEMES
@pytest.mark.parametrize("name", HEADS)
def test_every_head_has_its_own_picture(show: Painted, name: str, dark: bool) -> None:
    case, colours = HEADS[name], theme.theme(dark)
    found = painting(
        show("heads", name, dark=dark).locator(".am-head-grid canvas.picture"), rgb(colours.paper)
    )
    pictures = list(found.of("pixels"))
    assert len(pictures) == len(case.weights)
    columns = len(pictures) // max(1, case.layers)
    assert_in_reading_order(pictures if not case.layers else pictures[:columns])
    for layer in range(case.layers):  # layers fold into blocks beside each other, each with its name
        row = pictures[layer * columns : (layer + 1) * columns]
        assert_in_reading_order(row)
        assert len({mark.y for mark in row}) == 1
        (label,) = (mark for mark in found.texts if mark.align == "right" and mark.text == f"L{layer}")
        assert 0 < row[0].x - label.x < 12
        assert label.y == pytest.approx(row[0].y + row[0].h / 2, abs=1)
    for head, picture in enumerate(pictures):
        assert_picture(found, picture, case, head, colours)


def assert_in_reading_order(marks: list[Mark]) -> None:
    places = [(round(mark.y), round(mark.x)) for mark in marks]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def assert_picture(found: Painting, picture: Mark, case: HeadsCase, head: int, colours: Theme) -> None:
    _, rows, cols = case.weights.shape

    def look(row: int, col: int) -> None:
        x, y = picture.x + (col + 0.5) * picture.w / cols, picture.y + (row + 0.5) * picture.h / rows
        hidden = case.mask is not None and not case.mask[row, col]
        assert found.hatched_at(x, y) == hidden, (head, row, col)
        if not hidden:
            expected = head_fill(float(case.weights[head, row, col]), cols, colours)
            # a byte per cell: w^γ in 251 steps
            assert same(found.colour_at(x, y), expected, rounding=2.2), (head, row, col)

    each(rows, cols, look)


def head_fill(weight: float, keys: int, colours: Theme) -> Colour:
    if math.isnan(weight):
        return NOT_A_NUMBER
    return rgb(colours.paper) if weight == 0 else weight_fill(weight, gamma(keys), colours)


# ---- measured values -----------------------------------------------------------------------------------------------


@THEMES
@pytest.mark.parametrize("name", VALUES)
def test_every_value_has_its_own_colour_and_number(show: Painted, name: str, dark: bool) -> None:
    case, colours = VALUES[name], theme.theme(dark)
    canvas = show("values", name, dark=dark).locator(".am-value-grid canvas.picture")
    found = painting(canvas, rgb(colours.paper))
    hair = mix(rgb(colours.paper), rgb(colours.ink), 0.14)
    frames = [mark for mark in found.of("frame") if same(rgb(mark.colour), hair)]
    assert len(frames) == len(case["values"])
    assert_in_reading_order(frames)
    for frame, value in zip(frames, case["values"], strict=True):
        text = found.text_in(frame.x, frame.y, frame.w, frame.h)
        corner = (frame.x + 3, frame.y + 3)
        assert found.hatched_at(*corner) == math.isnan(value)
        if not math.isnan(value):
            share = 0.03 + 0.91 * value / case["top"]
            assert same(found.colour_at(*corner), mix(rgb(colours.paper), rgb(colours.weights), share))
            assert text == f"{value:.2f}"


# ---- links ---------------------------------------------------------------------------------------------------------


def read_links(found: Painting, case: LinksCase, dark: bool) -> dict[tuple[int, int, int], Mark]:
    """The line that was drawn last from every query to every key, by head."""
    _, queries, keys = case.weights.shape
    left = {mark.text: mark.y for mark in found.texts if mark.align == "right"}
    right = {mark.text: mark.y for mark in found.texts if mark.align == "left"}
    assert set(left) == set(TOKENS[:queries])
    assert set(right) == set(TOKENS[:keys])
    palette = theme.head_palette()["dark" if dark else "light"]
    heads = {rgb(palette[head]): head for head in range(len(case.weights))}
    lines = {}
    for mark in found.of("line"):
        (_, start), (_, end) = mark.points
        query = min(range(queries), key=lambda at: abs(left[TOKENS[at]] - start))
        key = min(range(keys), key=lambda at: abs(right[TOKENS[at]] - end))
        assert start == pytest.approx(left[TOKENS[query]], abs=1)
        assert end == pytest.approx(right[TOKENS[key]], abs=1)
        lines[heads[rgb(mark.colour)], query, key] = mark
    return lines


@THEMES
@pytest.mark.parametrize("name", LINKS)
def test_every_link_is_as_wide_as_its_weight(show: Painted, name: str, dark: bool) -> None:
    case = LINKS[name]
    canvas = show("links", name, dark=dark).locator(".am-token-links canvas")
    lines = read_links(painting(canvas, rgb(theme.theme(dark).paper)), case, dark)
    expected = {
        (int(head), int(query), int(key)): float(case.weights[head, query, key])
        for head, query, key in np.argwhere(np.nan_to_num(case.weights) > 0)
    }
    shown = {at: weight for at, weight in expected.items() if weight >= 0.04 or at[1] == case.pinned}
    assert set(lines) == set(shown)
    for at, weight in shown.items():
        assert lines[at].width == pytest.approx(0.6 + 5 * weight, abs=1e-3), at
    of_one = {at: mark.alpha for at, mark in lines.items() if case.pinned is None or at[1] == case.pinned}
    assert sorted(of_one, key=of_one.__getitem__) == sorted(of_one, key=shown.__getitem__)


@pytest.mark.parametrize("name", [name for name, case in LINKS.items() if case.pinned is not None])
def test_a_bar_is_as_long_as_the_weight(show: Painted, name: str) -> None:
    case = LINKS[name]
    found = painting(show("links", name).locator(".am-token-links canvas"), rgb(theme.LIGHT.paper))
    right = {mark.text: mark.y for mark in found.texts if mark.align == "left"}
    ratios = []
    for head in range(len(case.weights)):
        colour = rgb(theme.head_palette()["light"][head])
        bars = [mark for mark in found.of("fill") if rgb(mark.colour) == colour]
        for key, weight in enumerate(case.weights[head, case.pinned]):
            (bar,) = (b for b in bars if abs(b.y + b.h / 2 - right[TOKENS[key]]) < 12)
            if bar.w > 2:
                ratios.append(bar.w / weight)
    assert len(ratios) >= 3
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-3)
