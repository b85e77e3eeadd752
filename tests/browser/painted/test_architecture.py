"""What the small pictures in the drawing of a transformer show, against the weights of each place."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from components import theme
from components.head_grid import gamma
from tests.browser.painted.cases import PLACES
from tests.browser.painted.conftest import Painted
from tests.browser.painted.reading import Colour, each, mix, rgb, same, weight_fill

# The colour in the middle of every cell of the picture of a place.
READ = """async ([svg, place, rows, cols]) => {
    const drawn = new Image();
    drawn.src = svg.querySelector(`[data-place="${place}"] image`).getAttribute("href");
    await drawn.decode();
    const ctx = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
    ctx.drawImage(drawn, 0, 0);
    const at = (count, size, n) => Math.floor(((n + 0.5) * size) / count);
    return Array.from({ length: rows }, (_, row) => Array.from({ length: cols }, (_, col) =>
        [...ctx.getImageData(at(cols, drawn.width, col), at(rows, drawn.height, row), 1, 1).data].slice(0, 3)));
}"""


def colours_of(page: Page, place: str) -> list[list[Colour]]:
    svg = page.locator(".am-architecture svg").first.element_handle()
    rows, cols = PLACES[place][0].shape
    found: list[list[Colour]] = page.evaluate(READ, [svg, place, rows, cols])
    return [[(red, green, blue) for red, green, blue in row] for row in found]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_every_place_shows_its_own_weights(show: Painted, place: str, dark: bool) -> None:
    colours = theme.theme(dark)
    weights, mask = PLACES[place]
    found = colours_of(show("architecture", "", dark=dark), place)
    shades = (rgb(colours.paper), mix(rgb(colours.paper), rgb(colours.ink), 0.3))

    def look(row: int, col: int) -> None:
        if mask is not None and not mask[row, col]:
            assert between(found[row][col], *shades), (row, col)
        else:
            expected = weight_fill(float(weights[row, col]), gamma(weights.shape[1]), colours)
            assert same(found[row][col], expected), (row, col)

    each(*weights.shape, look)


def between(colour: Colour, one: Colour, other: Colour) -> bool:
    """Whether a colour is one that hatching makes of paper and lines."""
    parts = zip(one, other, colour, strict=True)
    return all(min(a, b) - 2 <= c <= max(a, b) + 2 for a, b, c in parts)
