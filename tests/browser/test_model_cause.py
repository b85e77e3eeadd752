"""The page that changes a head, in a real browser: an edge and a head are chosen with the pointer and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from app.trained.cause.examples import EXAMPLES
from app.url import State, encode
from models.pretrained import load_model
from models.pretrained.loading import unload_models
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.measures import cell_centre

PARIS = encode(State(model=EXAMPLES["paris"].view))


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    load_model("smollm2")
    unload_models()


def answer(page: Page) -> Locator:
    return page.locator(".am-answer")


def matrices(page: Page) -> Locator:
    return page.locator(".am-matrix")


def test_an_edge_is_blocked_with_a_click(open_page: OpenPage) -> None:
    page = open_page("cause", PARIS)
    expect(answer(page)).to_contain_text("Without the look from is to France, Paris falls from 0.77 to 0.15.")
    expect(page.locator(".am-ba .row.followed")).to_contain_text("Paris")
    first = matrices(page).first
    first.locator("canvas.picture").click(position=cell_centre(first, 4, 1))  # type: ignore[arg-type]
    expect(answer(page)).to_contain_text("Without the look from is to capital, Paris stays")
    expect(page).to_have_url(re.compile(r"mj=1\b"))
    first.locator("canvas.picture").press("ArrowRight")
    first.locator("canvas.picture").press("ArrowRight")
    first.locator("canvas.picture").press("Enter")
    expect(answer(page)).to_contain_text("from is to France")


def test_a_head_is_chosen_in_the_scan(open_page: OpenPage) -> None:
    page = open_page("cause", PARIS)
    page.get_by_role("button", name=re.compile("Try all 270 heads")).click()
    expect(page.locator("h2")).to_have_text("The same edge blocked in every head")
    grid = matrices(page).nth(1)
    grid.locator("canvas.picture").click(position=cell_centre(grid, 2, 12))  # type: ignore[arg-type]
    expect(page.locator(".am-ledger")).not_to_contain_text("−2.40")
    expect(page).to_have_url(re.compile(r"layer=12&mhead=2&.*x_scan=1"))


def test_an_example_and_back(open_page: OpenPage) -> None:
    page = open_page("cause", PARIS)
    expect(answer(page)).to_contain_text("Paris")
    page.get_by_role("button", name="It looks, and holds back").click()
    expect(answer(page)).to_contain_text("tiger rises from 0.08 to 0.41")
    expect(page).to_have_url(re.compile("tiger"))
    page.reload()
    expect(answer(page)).to_contain_text("tiger rises from 0.08 to 0.41")
    page.get_by_role("button", name="One edge decides").click()
    expect(answer(page)).to_contain_text("Paris falls")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(open_page: OpenPage, scheme: str) -> None:
    page = open_page("cause", PARIS, viewport=PHONE, colour_scheme=scheme)
    expect(page.locator(".am-ba .row.followed")).to_be_visible()
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")
