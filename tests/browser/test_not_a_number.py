"""A model with a NaN in it, in a real browser: nothing breaks, and nothing is claimed of what is no number."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from app.model_view import ModelView
from app.url import State, encode
from tests.app.test_not_a_number import TEXT, spoil
from tests.browser.conftest import OpenPage

WAIT = 60_000


def test_the_pages_of_one_cell_one_head_the_model_and_the_stage(open_page: OpenPage, tmp_path: Path) -> None:
    folder = spoil(tmp_path, "encoder")
    view = ModelView(model=str(folder), text=TEXT, layer=0, head=1, i=4, j=1)

    def opened(path: str, **more: str) -> Page:
        page = open_page(path, encode(State(model=view)) | more)
        page.get_by_role("button", name="Open it").click()
        return page

    page = opened("cell")
    expect(page.locator(".cell-page .flow")).to_contain_text("NaN", timeout=WAIT)
    expect(page.locator(".cell-page .row header")).to_contain_text("not numbers (NaN)")

    page = opened("head")
    expect(page.locator(".am-token-links .readout")).to_contain_text("not numbers (NaN)", timeout=WAIT)

    page = opened("overview")
    expect(page.locator(".am-head-grid .bar")).to_contain_text("not a number", timeout=WAIT)
    expect(page.locator(".am-links")).to_contain_text("not numbers (NaN)")

    page = opened("steps", step="weights")
    expect(page.locator(".stage")).to_contain_text("not numbers (NaN) or infinite", timeout=WAIT)
    expect(page.locator(".stage")).not_to_contain_text("NaN %")
