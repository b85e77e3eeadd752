"""Vectors are dragged with the hand and with the keyboard; the numbers follow and the address reopens them."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage

START = {"g_qx": "2", "g_qy": "0", "g_kx": "0", "g_ky": "2"}


def wait_for(page: Page, name: str, value: str) -> None:
    page.wait_for_function(
        "([name, value]) => new URL(location).searchParams.get(name) === value", arg=[name, value]
    )


def test_a_dragged_vector_changes_the_product(open_page: OpenPage) -> None:
    page = open_page("geometry", START)
    expect(page.get_by_text("right angle")).to_be_visible()
    box = page.locator(".am-plane > canvas").bounding_box()
    assert box
    assert box["y"] + box["height"] < 800  # on one screen
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    unit = (box["height"] / 2 - 16) / 4
    page.mouse.move(middle[0], middle[1] - 2 * unit)
    page.mouse.down()
    page.mouse.move(middle[0] + unit, middle[1] - 2 * unit, steps=4)
    readout = page.locator(".am-plane .readout")
    expect(readout).to_contain_text("q·k 2.00")  # before the hand lets go
    page.mouse.up()
    wait_for(page, "g_kx", "1")
    expect(page.get_by_text("much the same way (63°)")).to_be_visible()
    again = open_page("geometry", urlsplit(page.url).query)
    expect(again.locator(".am-plane .readout")).to_contain_text("q·k 2.00")


def test_the_keyboard_moves_a_vector(open_page: OpenPage) -> None:
    page = open_page("geometry", START)
    page.locator(".am-plane > canvas").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".am-plane .live")).to_have_text("k points to 0.60, 2.00")
    wait_for(page, "g_kx", "0.6")
    expect(page.locator(".am-plane .readout")).to_contain_text("q·k 1.20")
