"""The laboratory on masks in a real browser: a click and a key block a cell, and the numbers follow."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.measures import settle


def test_a_click_blocks_a_cell_and_the_keyboard_opens_it(open_page: OpenPage) -> None:
    page = open_page("masks", {"preset": "animal"})
    expect(page.get_by_text("Nothing is hidden")).to_be_visible()
    scores = page.locator(".am-matrix").first
    settle(page)  # laid out once more when what stands above it is there
    x, y = cell(page, row=3, column=1)
    scores.locator("canvas.picture").click(position={"x": x, "y": y})
    expect(page.get_by_text("1 of 100 cells is hidden")).to_be_visible()
    expect(page.get_by_text("“cross” sees 9 of 10 keys")).to_be_visible()
    page.wait_for_url(re.compile(r"m_cells=3\.1"))
    scores.locator("canvas.picture").press("Enter")
    expect(page.get_by_text("Nothing is hidden")).to_be_visible()


def cell(page: Page, *, row: int, column: int) -> tuple[float, float]:
    data = page.locator(".am-matrix").first.evaluate("node => ({...node.dataset})")
    left, top, width, height = (float(data[name]) for name in ("left", "top", "cw", "ch"))
    return left + (column + 0.5) * width, top + (row + 0.5) * height


def test_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("masks", {"lang": "zh", "mask": "causal", "hide": "0"}, viewport=PHONE)
    expect(page.locator(".am-matrix")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
