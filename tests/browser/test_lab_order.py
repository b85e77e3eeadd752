"""Tokens are dragged into another order, with the hand and with the keyboard; a copied address reopens it."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage

OWN = {"preset": "nlp", "o_order": "0,1,2"}


def chips(page: Page) -> Locator:
    return page.locator(".am-token-order .chip")


def labels(page: Page) -> list[str]:
    return [chips(page).nth(n).inner_text() for n in range(chips(page).count())]


def expect_order(page: Page, order: str) -> None:
    page.wait_for_function("order => new URL(location).searchParams.get('o_order') === order", arg=order)


def test_dragging_a_token_moves_outputs(open_page: OpenPage) -> None:
    page = open_page("order", OWN)
    expect(chips(page)).to_have_count(3)
    expect(page.get_by_text("own order")).to_be_visible()
    first, last = (chips(page).nth(n).bounding_box() for n in (0, 2))
    assert first
    assert last
    page.mouse.move(first["x"] + 12, first["y"] + 14)
    page.mouse.down()
    for step in range(1, 16):
        page.mouse.move(
            first["x"] + 12 + (last["x"] + last["width"] - first["x"] - 14) * step / 15, first["y"] + 14
        )
    page.mouse.up()
    expect_order(page, "1,2,0")
    expect(page.get_by_text("3 of 3 outputs moved")).to_be_visible()
    assert [text[0] for text in labels(page)] == ["l", "N", "I"]
    again = open_page("order", urlsplit(page.url).query)
    expect(again.get_by_text("3 of 3 outputs moved")).to_be_visible()
    expect(chips(again)).to_have_count(3)
    assert labels(again) == labels(page)


def test_a_token_is_moved_with_the_keyboard(open_page: OpenPage) -> None:
    page = open_page("order", OWN)
    chips(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect_order(page, "0,2,1")
    expect(chips(page).nth(2)).to_be_focused()
    expect(page.locator(".am-token-order .live")).to_have_text("love: place 2 of 0–2")
