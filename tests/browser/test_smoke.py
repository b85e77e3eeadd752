"""The app comes up in a browser. The fixtures fail these tests on script errors and outside requests."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, OpenPage


def test_the_first_page_is_drawn(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.get_by_test_id("stMainBlockContainer").inner_text().strip()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_does_not_scroll_sideways(open_page: OpenPage, viewport: tuple[int, int]) -> None:
    page = open_page(viewport=viewport)
    hidden = page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth")
    assert hidden == 0


def test_problems_are_noticed(new_page, watches) -> None:  # type: ignore[no-untyped-def]
    """The watch itself: each kind of problem is seen, and only problems are."""
    page: Page = new_page()
    page.set_content("<p>quiet</p>")
    assert watches[0].problems == []
    with page.expect_console_message():
        page.evaluate("console.error('told the console')")
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('nobody caught me') })")
    with page.expect_request("**/pixel.png"):
        page.set_content("<img src='http://elsewhere.example/pixel.png'>")
    seen = "\n".join(watches[0].problems)
    assert "told the console" in seen
    assert "nobody caught me" in seen
    assert "outside request: http://elsewhere.example/pixel.png" in seen
    watches[0].problems.clear()
