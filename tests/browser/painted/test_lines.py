"""What an encoding, a curve and a plane paint, against the numbers they were given."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from components import theme
from components.theme import Theme
from tests.browser.painted import cases
from tests.browser.painted.conftest import Painted
from tests.browser.painted.reading import NOT_A_NUMBER, Mark, each, painting, rgb, same, signed_fill

THEMES = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@THEMES
def test_every_cell_of_an_encoding_has_its_own_colour(show: Painted, dark: bool) -> None:
    colours, values = theme.theme(dark), cases.ENCODED
    canvas = show("encoding", "", dark=dark).locator(".am-encoding canvas").first
    found = painting(canvas, rgb(colours.paper))
    (image,) = found.of("pixels")
    length, dimensions = values.shape
    largest = float(np.nanmax(np.abs(values)))

    def look(position: int, dimension: int) -> None:  # positions run to the right, dimensions down
        x, y = (
            image.x + (position + 0.5) * image.w / length,
            image.y + (dimension + 0.5) * image.h / dimensions,
        )
        value = float(values[position, dimension])
        expected = NOT_A_NUMBER if math.isnan(value) else signed_fill(value, largest, colours)
        assert same(image.pixel(x, y), expected), (position, dimension)

    each(length, dimensions, look)
    ticks = {
        mark.text: mark.y for mark in found.texts if mark.align == "right" and mark.y < image.y + image.h
    }
    assert ticks["0"] == pytest.approx(image.y + 0.5 * image.h / dimensions, abs=1)
    assert ticks["7"] == pytest.approx(image.y + 7.5 * image.h / dimensions, abs=1)


def test_waves_rise_with_the_values(show: Painted) -> None:
    canvas = show("encoding", "").locator(".am-encoding canvas").first
    found = painting(canvas, rgb(theme.LIGHT.paper))
    waves = [mark for mark in found.of("line") if len(mark.points) == len(cases.ENCODED)]
    assert len(waves) == 2
    for colour, dimension in zip((theme.LIGHT.ink, theme.LIGHT.weights), cases.WAVES, strict=True):
        (wave,) = (mark for mark in waves if rgb(mark.colour) == rgb(colour))
        assert_rises(wave, cases.ENCODED[:, dimension].tolist())


def assert_rises(line: Mark, values: Sequence[float]) -> None:
    """Height above the canvas's lower edge goes with the values, in a straight line; places to the right are even."""
    xs, ys = (np.array(axis) for axis in zip(*line.points, strict=True))
    given = np.array(values)
    known = np.isfinite(given)  # what is no number has no height, and the line goes on behind it
    assert np.isfinite(ys).tolist() == known.tolist()
    places = np.arange(len(given))[known]
    step, start = np.polyfit(places, xs[known], 1)
    assert step > 0
    assert xs[known] == pytest.approx(step * places + start, abs=0.1)
    slope, shift = np.polyfit(given[known], ys[known], 1)
    assert slope < 0
    assert ys[known] == pytest.approx(slope * given[known] + shift, abs=0.3)


@THEMES
def test_a_curve_goes_through_its_values(show: Painted, dark: bool) -> None:
    colours = theme.theme(dark)
    canvas = show("curve", "", dark=dark).locator(".am-curve canvas").first
    found = painting(canvas, rgb(colours.paper))
    whole, gap = (line_of(found.of("line"), hue) for hue in (colours.query, colours.key))
    assert_rises(whole, cases.LOSSES["q"])
    assert_rises(line_of(found.of("line"), colours.weights), cases.SHARES)
    measured = [n for n, value in enumerate(cases.LOSSES["k"]) if math.isfinite(value)]
    assert [x for x, _ in gap.points] == pytest.approx([whole.points[n][0] for n in measured], abs=0.1)
    # one scale for both lines of a panel
    top, bottom = whole.points[0][1], whole.points[-1][1]
    expected = [bottom + (top - bottom) * cases.LOSSES["k"][n] / 2.0 for n in measured]
    assert [y for _, y in gap.points] == pytest.approx(expected, abs=0.3)
    (cursor,) = {round(line.points[0][0], 1) for line in vertical(found.of("line"), colours)}
    assert cursor == pytest.approx(whole.points[2][0], abs=0.2)


def line_of(lines: object, hue: str) -> Mark:
    (found,) = (mark for mark in lines if rgb(mark.colour) == rgb(hue))  # type: ignore[attr-defined]
    assert isinstance(found, Mark)
    return found


def vertical(lines: object, colours: Theme) -> list[Mark]:
    """The cursor: lines in ink that go straight up."""
    return [
        mark
        for mark in lines  # type: ignore[attr-defined]
        if rgb(mark.colour) == rgb(colours.ink) and mark.points[0][0] == mark.points[-1][0]
    ]


@THEMES
def test_arrows_point_where_they_should(show: Painted, dark: bool) -> None:
    colours = theme.theme(dark)
    canvas = show("plane", "", dark=dark).locator(".am-plane > canvas").first
    found = painting(canvas, rgb(colours.paper))
    hues = {"q": colours.query, "k": colours.key, "v": colours.value}
    origins, units = [], []
    for label, x, y, hue in cases.ARROWS:
        shaft = line_of(found.of("line"), hues[hue])
        (head,) = (mark for mark in found.of("area") if rgb(mark.colour) == rgb(hues[hue]))
        origin, tip = np.array(shaft.points[0]), np.array(head.points[0])
        reached = (tip - origin) * (1, -1)  # a canvas counts downwards
        assert reached / np.linalg.norm(reached) == pytest.approx(
            np.array([x, y]) / math.hypot(x, y), abs=1e-3
        )
        origins.append(origin)
        units.append(np.linalg.norm(reached) / math.hypot(x, y))
        (name,) = (mark for mark in found.texts if mark.text == label)
        assert math.dist((name.x, name.y), tip) < 30
    assert np.ptp(origins, axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert units == pytest.approx([units[0]] * 3, rel=1e-6)
