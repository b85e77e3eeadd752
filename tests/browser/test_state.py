"""The state in a real browser: addresses that reopen, languages that lose nothing, a theme to choose."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from models.edits import Edits
from scripts import live
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.measures import settle

ODD_TEXT = "a *b* $x$\n<script>alert(1)</script> 喜欢"


def sentence(page: Page) -> Locator:
    return page.get_by_test_id("stSidebar").locator("textarea").first


def query(page: Page) -> dict[str, str]:
    return {
        name: values[0] for name, values in parse_qs(urlsplit(page.url).query, keep_blank_values=True).items()
    }


def type_sentence(page: Page, text: str) -> None:
    sentence(page).fill(text)
    sentence(page).press("Control+Enter")
    page.wait_for_function("text => new URLSearchParams(location.search).get('text') === text", arg=text)


def idle(page: Page) -> None:
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    )


def test_the_copied_address_reopens_the_same_view(open_page: OpenPage, new_page: Callable[..., Page]) -> None:
    page = open_page(query={"preset": "animal", "step": "weights", "i": 3, "j": 4, "head": 1})
    type_sentence(page, ODD_TEXT)
    page.get_by_text("Causal mask").click()
    page.wait_for_function("new URLSearchParams(location.search).get('mask') === 'causal'")
    idle(page)
    asked = query(page)
    assert asked["step"] == "weights"
    again = new_page()
    live.open_page(again, page.url)
    expect(sentence(again)).to_have_value(ODD_TEXT)
    expect(again.get_by_label("Causal mask")).to_be_checked()
    settle(again)  # the stage reports its view when it has come to rest
    assert query(again) == asked


def test_a_language_switch_keeps_the_text_and_all_settings(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "nlp", "temp": "2"})
    type_sentence(page, ODD_TEXT)
    before = query(page)
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_text("句子", exact=True)).to_be_visible()
    expect(sentence(page)).to_have_value(ODD_TEXT)
    page.get_by_text("English", exact=True).click()
    expect(page.get_by_text("Sentence", exact=True)).to_be_visible()
    expect(sentence(page)).to_have_value(ODD_TEXT)
    idle(page)
    assert query(page) == before


def test_pages_keep_the_state_and_a_middle_click_takes_it_along(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "nlp"})
    type_sentence(page, "I love tea")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="Which outputs move")).to_be_visible()
    expect(sentence(page)).to_have_value("I love tea")
    settle(page)
    assert query(page) == {"preset": "nlp", "text": "I love tea"}
    link = page.get_by_role("link", name="Matrices").get_attribute("href")
    assert link is not None
    assert "I+love+tea" in link or "I%20love%20tea" in link


def test_an_emptied_sentence_stays_empty(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal"})
    type_sentence(page, "")
    expect(page.get_by_text("There is no word in the text yet")).to_be_visible()
    page.get_by_text("Causal mask").click()
    page.wait_for_function("new URLSearchParams(location.search).get('mask') === 'causal'")
    expect(sentence(page)).to_have_value("")


def test_pressing_a_token_hides_it_as_padding(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal"})
    token = page.get_by_test_id("stSidebar").get_by_role("button", name="animal", exact=True)
    token.click()
    page.wait_for_function("new URLSearchParams(location.search).get('hide') === '1'")
    expect(token).to_have_attribute("aria-pressed", "true")
    token.click()
    page.wait_for_function("!new URLSearchParams(location.search).has('hide')")


def test_a_hostile_address_is_a_note(open_page: OpenPage) -> None:
    page = open_page(query=[("d", "1"), ("d", "2"), ("heads", "-1"), ("step", "__proto__"), ("i", "9" * 40)])
    expect(page.get_by_text("could not be used and was left out: d, heads, step, i.")).to_be_visible()
    assert query(page) == {}


def test_the_theme_can_be_chosen(open_page: OpenPage) -> None:
    page = open_page()
    app = page.get_by_test_id("stApp")
    light = app.evaluate("node => getComputedStyle(node).backgroundColor")
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.wait_for_function(
        "light => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor !== light",
        arg=light,
    )


def cell(page: Page, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell of the editor's canvas: a column of names, a row of names, then cells of 60 × 30."""
    box = page.locator(".st-key-cells canvas").first.bounding_box()
    assert box is not None
    return box["x"] + 80 + 60 * column, box["y"] + 50 + 30 * row


def type_into(page: Page, row: int, column: int, text: str) -> None:
    before = page.url
    page.mouse.dblclick(*cell(page, row, column))
    editor = page.locator("#portal input, .gdg-input, #portal textarea").first
    editor.wait_for()
    editor.fill(text)
    editor.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
    idle(page)


def test_typed_cells_become_edits(open_page: OpenPage) -> None:
    page = open_page("matrices", {"preset": "animal"})
    page.locator(".st-key-cells canvas").first.wait_for()
    type_into(page, 0, 0, "0.5")
    type_into(page, 1, 2, "-2")
    assert Edits.decode(query(page)["edits"]) == Edits().with_cell("w_q", 0, 0, 0.5).with_cell(
        "w_q", 1, 2, -2.0
    )
    expect(page.get_by_text(re.compile(r"1, h0·2: .* → −2\.00"))).to_be_visible()
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_function("!location.search.includes('edits')")
    expect(page.get_by_text("Changed (row, column)")).to_have_count(0)


@pytest.mark.parametrize("path", ["compare", "matrices"])
@pytest.mark.parametrize("viewport", [(1280, 800), PHONE])
def test_nothing_scrolls_sideways_and_desktop_fits_one_screen(
    open_page: OpenPage, path: str, viewport: tuple[int, int]
) -> None:
    page = open_page(path, {"preset": "animal"}, viewport=viewport)
    page.locator("canvas").first.wait_for()
    settle(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => node.scrollWidth - node.clientWidth") == 0
    if viewport != PHONE:
        assert main.evaluate("node => node.scrollHeight - node.clientHeight") == 0


def test_the_bars_stand_for_the_outputs_that_moved(open_page: OpenPage) -> None:
    page = open_page(
        "compare",
        {"preset": "animal", "mask": "causal", "text2": "The animal slept", "text": "The animal <b>x"},
    )
    bars = page.locator(".am-token-bars .col")
    expect(bars.first).to_be_visible()
    assert [bar.get_attribute("class") for bar in bars.all()][:2] == ["col zero", "col zero"]
    assert bars.nth(2).locator(".name").all_inner_texts() == ["<", "slept"]
    assert float(bars.nth(2).locator(".size").inner_text()) > 0
