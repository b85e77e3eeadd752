"""The encoding can be clicked and walked through with the keyboard; the address reopens the wave that was chosen."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage


def test_a_clicked_dimension_is_drawn_as_a_wave(open_page: OpenPage) -> None:
    page = open_page("position", {"preset": "animal"})
    expect(page.get_by_text("Dimensions 4 and 5 are a pair")).to_be_visible()
    canvas = page.locator(".am-encoding > canvas")
    box = canvas.bounding_box()
    assert box
    assert box["y"] + box["height"] < 800  # on one screen
    page.mouse.click(box["x"] + 300, box["y"] + 200)
    pair = page.get_by_test_id("stText").filter(has_text="are a pair")
    expect(pair).not_to_contain_text("Dimensions 4 and 5")
    said = pair.inner_text()
    page.wait_for_url(re.compile("p_dimension="))
    again = open_page("position", urlsplit(page.url).query)
    expect(again.get_by_text(said[:40])).to_be_visible()


def test_the_keyboard_reads_and_chooses(open_page: OpenPage) -> None:
    page = open_page("position", {"preset": "animal"})
    page.locator(".am-encoding > canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    # sin would be even; dimension 7 is cos(1 / 10000^(6/32))
    expect(page.locator(".am-encoding .live")).to_have_text("position 1, dimension 7: 0.9842")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Dimensions 6 and 7 are a pair")).to_be_visible()
