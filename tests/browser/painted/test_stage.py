"""What the stage paints of every step's result, cell by cell, against the trace."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page
from torch import Tensor

from components import theme
from components.head_grid import gamma
from components.stage_data import stage_steps
from components.theme import MINUS, Theme
from models.build import build
from models.settings import PRESETS, Settings
from models.trace import Trace
from tests.browser.conftest import SLOWER
from tests.browser.painted.conftest import STILL, Painted
from tests.browser.painted.reading import Painting, each, painting, rgb, same, signed_fill, weight_fill

WEIGHTS = ("weights",)
PROJECTIONS = ("query", "key", "value")
MASKABLE = ("masked", "weights")
LONG = " ".join(f"w{number}" for number in range(70))
CASES: dict[str, tuple[dict[str, str], Settings]] = {
    "worked": ({"preset": "fruit"}, PRESETS["fruit"]),
    "causal": ({"preset": "animal", "mask": "causal"}, replace(PRESETS["animal"], mask="causal")),
    "hidden": ({"preset": "animal", "hide": "0,4"}, replace(PRESETS["animal"], hidden=(0, 4))),
    "an image": ({"preset": "animal", "text": LONG}, replace(PRESETS["animal"], text=LONG)),
}
Write = Callable[[float], str]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", CASES)
def test_every_step_paints_its_own_numbers(show_app: Painted, name: str, dark: bool) -> None:
    query, settings = CASES[name]
    trace, colours = build(settings), theme.theme(dark)
    page = show_app("", query, dark=dark)
    steps = [step for step in stage_steps(trace) if step != "tokens"]
    for step in steps if name != "an image" else ("scores", "weights", "output"):
        go_to(page, step)
        canvas = page.locator(".stage canvas").first
        result = json.loads(canvas.get_attribute("data-result") or "")
        assert result["step"] == step
        assert_result(painting(canvas, rgb(colours.paper)), result, trace, step, colours)


def go_to(page: Page, step: str) -> None:
    page.locator(f'.stage .part[data-step="{step}"]').click()
    page.locator(f'.stage .part.now[data-step="{step}"]').wait_for()
    page.evaluate("window.paintedBefore = null")
    page.mouse.move(2, 2)  # what is pointed at looks otherwise
    page.wait_for_function(STILL, polling=250, timeout=60_000 * SLOWER)


def assert_result(found: Painting, result: dict[str, float], trace: Trace, step: str, colours: Theme) -> None:
    value = trace[step].value
    values = value if value.ndim == 2 else value[0]
    rows, cols = values.shape
    together = cols // trace.heads if step == "concat" else cols  # each head's output has a scale of its own
    largest = [largest_size(values[:, start : start + together]) for start in range(0, cols, together)]
    x0, y0, cw, ch = (float(result[name]) for name in ("x", "y", "width", "height"))
    lefts = [x0 + col * cw for col in range(cols)]
    if step in PROJECTIONS:
        lefts = parts(found, y0, cw, getattr(colours, step))
    elif step == "concat":
        lefts = [left for left in parts(found, y0, cw, colours.value) if left > x0 - 1]
    assert len(lefts) == cols
    printed: list[tuple[str, float]] = []

    def look(row: int, col: int) -> None:
        cell = (lefts[col], y0 + row * ch, cw, ch)
        hidden = step in MASKABLE and trace.mask is not None and not bool(trace.mask[row, col])
        number, text = float(values[row, col]), found.text_in(*cell)
        # off the middle, where the number stands; of small cells the middle
        x, y = (cell[0] + 3, cell[1] + 3) if cw >= 16 else (cell[0] + cw / 2, cell[1] + ch / 2)
        if hidden and cw >= 5:
            assert found.hatched_at(x, y), (step, row, col)
            assert text in (None, "0" if step in WEIGHTS else f"{MINUS}∞")
            return
        if math.isfinite(number) and not hidden:
            fill = weight_fill(number, gamma(cols), colours) if step in WEIGHTS else None
            expected = fill or signed_fill(number, largest[col // together], colours)
            assert same(found.colour_at(x, y), expected), (step, row, col, number)
        if text is not None:
            printed.append((text, number))

    each(rows, cols, look)
    assert_written_alike(printed, step)
    if cw >= 40:
        assert printed


def largest_size(values: Tensor) -> float:
    sizes = values[values.isfinite()].abs()
    return float(sizes.max()) if sizes.numel() else 0.0


def parts(found: Painting, top: float, cw: float, hue: str) -> list[float]:
    """The left edges of the columns of all matrices that begin at this height in a frame of this hue: Q, K and V stand
    side by side, and so do the heads' outputs."""
    frames = [
        mark
        for mark in found.of("frame")
        if mark.width == 1.75 and mark.y == pytest.approx(top - 1.5, abs=0.1) and rgb(mark.colour) == rgb(hue)
    ]
    return [
        mark.x + 1.5 + col * cw
        for mark in sorted(frames, key=lambda mark: mark.x)
        for col in range(round((mark.w - 2) / cw))
    ]


def assert_written_alike(printed: list[tuple[str, float]], step: str) -> None:
    """All numbers of a step are written in one of the three forms."""
    forms: tuple[Write, ...] = (
        theme.cell_number,
        theme.short_number,
        lambda value: theme.short_number(value, 1),
    )
    assert any(all(write(number) == text for text, number in printed) for write in forms), (step, printed)
