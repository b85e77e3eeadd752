"""The laboratory on cost in a real browser: measuring shows its progress and can be stopped."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import PHONE, OpenPage


def test_a_measurement_can_be_stopped_and_keeps_what_it_has(open_page: OpenPage) -> None:
    page = open_page("cost", {"c_top": "4096", "c_d": "512"})
    plots = page.locator(".js-plotly-plot")
    expect(plots).to_have_count(4)
    box = plots.nth(3).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    measure = page.get_by_role("button", name="Measure on this machine")
    measure.click()
    expect(page.get_by_text("n = 512").first).to_be_visible()  # some of it is done
    page.get_by_role("button", name="Stop, keep what there is").click()
    expect(page.get_by_role("heading", name="The measured numbers")).to_be_visible()
    expect(page.get_by_role("button", name="Stop, keep what there is")).to_have_count(0)
    expect(page.get_by_role("rowheader", name="4,096")).to_have_count(0)
    expect(page.get_by_role("rowheader", name="256")).to_be_visible()


def test_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("cost", {"lang": "zh"}, viewport=PHONE)
    expect(page.locator(".js-plotly-plot")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
