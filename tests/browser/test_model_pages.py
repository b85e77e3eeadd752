"""The pages of trained models in a real browser: from the whole model to the arithmetic of one cell."""

from __future__ import annotations

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
from tests.browser.measures import cell_centre, number, settle

LONG = "The animal didn't cross the street because it was too tired and nobody on the other side had waited. "


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    """The ready models lie in the cache; this process does not need them in its memory."""
    for name in EXAMPLES:
        load_model(name)
    unload_models()


def grid(page: Page) -> Locator:
    return page.locator(".am-head-grid")


def matrix(page: Page) -> Locator:
    return page.locator(".am-matrix")


def links(page: Page) -> Locator:
    return page.locator(".am-token-links")


def example(name: str) -> dict[str, str]:
    return encode(State(model=EXAMPLES[name]))


def head_at(page: Page, layer: int, head: int, columns: int = 12) -> dict[str, float]:
    """Where a head of a grid of one block is drawn, as components/frontend/head_grid/geometry.js lays it out."""
    size = number(grid(page), "size")
    gap = 4 if columns * 6 > 60 else 8
    return {"x": 2 + 30 + head * (size + gap) + size / 2, "y": 2 + 17 + layer * (size + gap) + size / 2}


def test_from_the_whole_model_to_the_arithmetic_of_one_cell(open_page: OpenPage) -> None:
    page = open_page("overview", {"layer": 0, "mhead": 0, "mi": 0, "mj": 0})
    expect(page.locator("h2")).to_have_text("Layer 0 · Head 0")
    grid(page).locator("canvas.picture").hover(position=head_at(page, 3, 1))  # type: ignore[arg-type]
    expect(grid(page).locator(".tip")).to_contain_text("L3 H1")
    grid(page).locator("canvas.picture").click(position=head_at(page, 3, 1))  # type: ignore[arg-type]
    expect(page.locator("h2")).to_have_text("Layer 3 · Head 1")
    page.get_by_role("link", name="Open this head").click()
    expect(page.locator("h1")).to_have_text("Layer 3 · Head 1")
    live.wait_drawn(page)
    matrix(page).locator("canvas.picture").click(position=cell_centre(matrix(page), 10, 2))  # type: ignore[arg-type]
    page.wait_for_url(re.compile("layer|/head$"))
    expect(links(page).locator(".readout")).to_contain_text("it looks at")
    expect(links(page).locator(".readout .link").first).to_have_text("animal0.68")
    live.wait_drawn(page)
    page.get_by_role("link", name="Open this cell").click()
    expect(page.locator("h1")).to_have_text("Why does it look at animal?")
    expect(page.locator(".cell-page .flow strong")).to_have_text(
        ["21.688", "3.834", "visible", "1.0000", "0.6768", "2.916", "91.0 %"]
    )
    expect(page.locator(".cell-page .keys tr.chosen")).to_contain_text("0.677")
    expect(page.locator(".cell-page .added")).to_contain_text("2.628")


def test_the_address_reopens_the_view(open_page: OpenPage) -> None:
    page = open_page("head", {**example("smollm2"), "lang": "zh"})
    expect(page.locator("h1")).to_have_text("层 18 · 头 6")
    page.get_by_text("H7", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("层 18 · 头 7")
    page.wait_for_url("**mhead=7*")
    parts = urlsplit(page.url)
    again = open_page("cell", parts.query)
    expect(again.locator("h1")).to_contain_text("为什么看向")
    expect(again.locator(".am-notes")).to_contain_text("查询头 7 使用键值头 2")
    expect(again.locator(".am-notes")).to_contain_text("model.layers.18.self_attn")
    expect(again.locator(".cell-page .flow li").first).to_contain_text("q · k")


def test_the_keyboard_goes_through_the_heads(open_page: OpenPage) -> None:
    page = open_page("overview")
    grid(page).locator("canvas.picture").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(grid(page).locator(".live")).to_contain_text("L4 H2")
    page.keyboard.press("Enter")
    expect(page.locator("h2")).to_have_text("Layer 4 · Head 2")


def test_a_chip_finds_a_kind_of_head(open_page: OpenPage) -> None:
    page = open_page("overview")
    page.get_by_text("L0H2 1.00").click()
    expect(page.locator("h2")).to_have_text("Layer 0 · Head 2")


def test_hovering_lights_the_links_and_sends_nothing(app_url: str, new_page: Callable[..., Page]) -> None:
    page = new_page()
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    live.open_page(page, address(app_url, "head"))
    expect(links(page).locator(".readout")).to_contain_text("it looks at")
    settle(page)
    before = len(sent)
    matrix(page).locator("canvas.picture").hover(position=cell_centre(matrix(page), 6, 8))  # type: ignore[arg-type]
    expect(links(page).locator(".readout")).to_contain_text("cross looks at")
    links(page).get_by_role("button", name="all heads").click()
    settle(page)
    assert 0 < before == len(sent)


def test_another_key_is_chosen_in_the_softmax_row(open_page: OpenPage) -> None:
    page = open_page("cell")
    page.locator(".cell-page .keys button").first.click()
    expect(page.locator("h1")).to_have_text("Why does it look at [CLS]?")
    page.wait_for_url("**mj=0*")
    expect(page.locator(".cell-page .keys tr.chosen")).to_contain_text("[CLS]")


def test_vectors_before_and_after_the_rotation(open_page: OpenPage) -> None:
    page = open_page("cell", example("smollm2"))
    expect(page.locator(".dimensions header .mute")).to_contain_text("without it q · k would be")
    chip = page.get_by_role("button", name="before and after")
    high = page.locator(".dimensions canvas").bounding_box()
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "false")
    low = page.locator(".dimensions canvas").bounding_box()
    assert high
    assert low
    assert low["height"] < high["height"]


def test_1024_tokens_on_all_pages(open_page: OpenPage) -> None:
    page = open_page("overview", {"model": "en-pt", "stream": "encoder", "kind": "self"})
    page.get_by_label("Text", exact=True).fill(LONG * 50)
    page.keyboard.press("Control+Enter")
    expect(grid(page).locator(".bar")).to_contain_text("1024 tokens as 64 × 64 block maxima", timeout=180_000)
    expect(page.get_by_text("1024 are read")).to_be_visible()
    live.wait_drawn(page)
    page.get_by_role("link", name="Open this head").click()
    expect(page.locator(".st-key-model_head .am-matrix")).to_contain_text("1024 × 1024")
    expect(links(page)).to_have_attribute("data-scrolls", "true")
    assert number(links(page), "lines") <= 400
    live.wait_drawn(page)
    page.get_by_role("link", name="Open this cell").click()
    expect(page.locator(".cell-page .keys p")).to_contain_text("400")  # the strongest are listed


def test_hostile_tokens_stay_text(open_page: OpenPage) -> None:
    text = "</script><script>alert(1)</script> $x$ :red[x] **b** <img src=x onerror=alert(1)>"
    page = open_page("overview", {"mtext": text})
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    for path in ("head", "cell"):
        shown = open_page(path, {"mtext": text, "mi": 1, "mj": 3})
        shown.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        expect(shown.locator("h1")).to_be_visible()
        assert shown.locator("h1 img, h1 script, .stMainBlockContainer img").count() == 0
    expect(shown.locator("h1")).to_have_text("Why does < look at script?")


def test_colours_of_words_follow_the_theme_and_not_the_system(open_page: OpenPage) -> None:
    page = open_page("cell", colour_scheme="light")
    page.evaluate("document.querySelector('[data-testid=stApp]').style.colorScheme = 'dark'")
    expect(page.locator("h1 .am-q")).to_have_css("color", "rgb(134, 180, 255)")
    page.evaluate("document.querySelector('[data-testid=stApp]').style.colorScheme = 'light'")
    expect(page.locator("h1 .am-q")).to_have_css("color", "rgb(33, 87, 196)")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_main_pictures_fit_the_first_screen(open_page: OpenPage, name: str, lang: str) -> None:
    query = {**example(name), "lang": lang}
    pictures = {"overview": ".am-head-grid, .am-matrix", "head": ".am-matrix, .am-token-links canvas"}
    for path, selector in {**pictures, "cell": ".flow, .dimensions"}.items():
        page = open_page(path, query, viewport=DESKTOP)
        for picture in page.locator(selector).all():
            expect(picture).to_be_visible()
            box = picture.bounding_box()
            assert box
            assert box["y"] + box["height"] <= DESKTOP[1], (path, box)
        page.context.close()


@pytest.mark.parametrize("path", ["overview", "head", "cell"])
def test_a_phone_needs_no_sideways_scrolling(open_page: OpenPage, path: str) -> None:
    page = open_page(path, viewport=PHONE)
    expect(page.locator(".stMainBlockContainer .am").first).to_be_visible()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0
