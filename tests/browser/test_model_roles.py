"""What heads do, in a real browser: the grid, the legend, the table and the file."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from app.model_view import EXAMPLES
from app.url import State, encode
from models.pretrained import load_model
from models.pretrained.loading import unload_models
from scripts import live
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, address
from tests.browser.measures import number, settle

KNOWN = ("minilm", "smollm2", "en-pt")


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    """The ready models lie in the cache; this process does not need them in its memory."""
    for name in KNOWN:
        load_model(name)
    unload_models()


def example(name: str) -> dict[str, str]:
    return encode(State(model=EXAMPLES[name]))


def grid(page: Page) -> Locator:
    return page.locator(".am-value-grid")


def picture(page: Page) -> Locator:
    return grid(page).locator("canvas.picture")


def head_at(page: Page, layer: int, head: int, columns: int) -> dict[str, float]:
    """Where a head is drawn, as components/frontend/head_grid/geometry.js lays it out."""
    size, pitch, rows = (number(grid(page), name) for name in ("size", "pitch", "rows"))
    block = layer // rows
    left = 2 + block * (30 + columns * pitch) + 30 + head * pitch
    return {"x": left + size / 2, "y": 2 + 17 + (layer % rows) * pitch + size / 2}


def table_row(page: Page, row: int) -> dict[str, float]:
    """The box at the left of a row of the table (rows are 35 pixels high)."""
    return {"x": 18, "y": 36 + 35 * row + 17}


def table(page: Page) -> Locator:
    return page.get_by_test_id("stDataFrame").locator(".dvn-scroller")


def test_a_click_in_the_grid_opens_a_head_in_words(open_page: OpenPage) -> None:
    page = open_page("roles")
    place = head_at(page, 0, 2, 12)
    picture(page).hover(position=place)  # type: ignore[arg-type]
    expect(grid(page).locator(".tip")).to_contain_text("L0 H2")
    expect(grid(page).locator(".tip")).to_contain_text("previous token 1.00 (even attention 0.06)")
    picture(page).click(position=place)  # type: ignore[arg-type]
    expect(page.locator("h2").first).to_have_text("Layer 0 · Head 2")
    expect(page.get_by_text("Looks at the token before")).to_be_visible()
    page.wait_for_url(re.compile("layer=0"))
    again = open_page("roles", urlsplit(page.url).query)
    expect(again.locator("h2").first).to_have_text("Layer 0 · Head 2")


def test_the_keyboard_goes_through_the_heads(open_page: OpenPage) -> None:
    page = open_page("roles", {"r_measure": "next"})
    picture(page).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(grid(page).locator(".live")).to_contain_text("L4 H0")
    page.keyboard.press("Enter")
    expect(page.locator("h2").first).to_have_text("Layer 4 · Head 0")


def test_folded_layers_are_clicked_where_they_are_drawn(open_page: OpenPage) -> None:
    page = open_page("roles", {**example("smollm2"), "r_on": "repeat", "layer": 0, "mhead": 0})
    assert number(grid(page), "blocks") == 2
    picture(page).click(position=head_at(page, 18, 6, 9))  # type: ignore[arg-type]
    expect(page.locator("h2").first).to_have_text("Layer 18 · Head 6")
    expect(page.get_by_text("Where a token comes again")).to_be_visible()
    expect(page.locator(".am-matrix").first).to_contain_text("100 × 100")  # on the sample, not on the text


def test_a_row_of_the_table_opens_its_head_and_the_grid_marks_the_row(open_page: OpenPage) -> None:
    page = open_page("roles", {"r_measure": "previous"})
    expect(table(page)).to_be_visible()
    table(page).click(position=table_row(page, 0))  # type: ignore[arg-type]
    expect(page.locator("h2").first).to_have_text("Layer 0 · Head 2")  # the strongest stands first
    picture(page).click(position=head_at(page, 5, 11, 12))  # type: ignore[arg-type]
    expect(page.locator("h2").first).to_have_text("Layer 5 · Head 11")
    live.wait_drawn(page)  # the table follows: row 0 is no longer the marked one
    table(page).click(position=table_row(page, 0))  # type: ignore[arg-type]
    expect(page.locator("h2").first).to_have_text("Layer 0 · Head 2")


def test_a_name_in_the_legend_shows_its_heads_alone(open_page: OpenPage) -> None:
    page = open_page("roles")
    button = grid(page).get_by_role("button", name="next token")
    before = picture(page).evaluate("canvas => canvas.toDataURL()")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.mouse.move(0, 0)
    assert picture(page).evaluate("canvas => canvas.toDataURL()") != before
    button.click()
    page.mouse.move(0, 0)
    expect(button).to_have_attribute("aria-pressed", "false")


def test_hovering_sends_nothing(app_url: str, new_page: Callable[..., Page]) -> None:
    page = new_page()
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    live.open_page(page, address(app_url, "roles"))
    number(grid(page), "size")
    settle(page)
    before = len(sent)
    picture(page).hover(position=head_at(page, 2, 2, 12))  # type: ignore[arg-type]
    grid(page).get_by_role("button", name="next token").hover()
    settle(page)
    assert 0 < before == len(sent)


def test_the_file_can_be_taken_away(open_page: OpenPage) -> None:
    page = open_page("roles")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "heads-text.csv"
    with open(download.value.path(), newline="") as file:  # noqa: PTH123
        rows = list(csv.DictReader(file))
    assert len(rows) == 72
    assert float(rows[2]["previous"]) == pytest.approx(1, abs=0.01)
    assert rows[2]["role"] == "previous"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", KNOWN)
def test_grid_and_head_fit_the_first_screen(open_page: OpenPage, name: str, lang: str) -> None:
    page = open_page("roles", {**example(name), "lang": lang}, viewport=DESKTOP)
    for part in (grid(page), page.locator(".am-profile"), page.locator(".am-matrix")):
        expect(part).to_be_visible()
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= DESKTOP[1] + 2, box


def test_a_phone_needs_no_sideways_scrolling(open_page: OpenPage) -> None:
    page = open_page("roles", example("smollm2"), viewport=PHONE)
    expect(grid(page)).to_be_visible()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0
