"""The laboratory on scaling in a real browser: four charts, no scrolling for them, usable on a phone."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import PHONE, OpenPage


def test_the_picture_fits_and_follows_the_keyboard(open_page: OpenPage) -> None:
    page = open_page("scale")
    plots = page.locator(".js-plotly-plot")
    expect(plots).to_have_count(4)
    box = plots.nth(3).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    expect(page.get_by_text("At d_k = 512 the undivided")).to_be_visible()
    page.wait_for_url(re.compile("s_dk=512"))


def test_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("scale", {"lang": "zh"}, viewport=PHONE)
    expect(page.locator(".js-plotly-plot")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    expect(page.get_by_text("NaN").first).to_be_visible()
