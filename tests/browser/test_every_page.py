"""Every page: another language, another text, then every control of choice. Neither page nor address may suffer.

Streamlit's controls send the label that they show: one that was drawn before the language or the text changed would
send a label that is no option any more (see `app.choices`).
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from app.navigation import GROUPS
from app.url import decode
from scripts import live
from tests.browser.conftest import OpenPage
from tests.browser.measures import settle

SEGMENTS = "[data-testid=stButtonGroup]"
LISTS = "[data-testid=stSelectbox]"
PROBLEMS = "[class*=st-key-problem_]"
MODELS = {"head": "smollm2", "cell": "minilm", "translate": "words-en", "grow": "repeat", "cause": "minilm"}
TEXTS = {
    "words-en": "907",
    "repeat": "abcdabcdab",
    "smollm2": "The cat sat. The cat",
    "minilm": "The cat sat on a mat.",
}


def check(page: Page, what: str) -> None:
    """Nothing failed, and the address says what there is."""
    live.wait_drawn(page)
    assert page.locator(PROBLEMS).count() == 0, f"{what}: {page.locator(PROBLEMS).first.inner_text()}"
    query = parse_qs(urlsplit(page.url).query, keep_blank_values=True)
    query.pop("go", None)
    assert decode(query, "en")[1] == (), f"{what}: {page.url}"


def change_text(page: Page, path: str) -> None:
    """The text that the page is about: in the sidebar, or the training's own."""
    field = page.get_by_test_id("stSidebar").locator("textarea").first
    if not field.count():
        return
    text = TEXTS.get(MODELS.get(path, ""), "The dog ran to the red house")
    field.fill(text)
    field.press("Control+Enter")
    settle(page)


def use_segments(page: Page, group: Locator) -> bool:
    """Click an option that is not chosen; whether there is one."""
    for option in group.locator("button").all():
        if option.is_enabled() and "Active" not in (option.get_attribute("data-testid") or ""):
            option.click()
            return True
    return False


def use_list(page: Page, box: Locator) -> bool:
    """Choose the last option; whether that can be done."""
    if box.locator("input").is_disabled():
        return False
    box.locator("input").click()
    page.get_by_role("option").last.click()
    return True


@pytest.mark.parametrize("path", [entry.path for entries in GROUPS.values() for entry in entries])
def test_language_text_and_every_choice(open_page: OpenPage, path: str) -> None:
    query = {"lang": "en", **({"model": MODELS[path]} if path in MODELS else {"preset": "animal"})}
    page = open_page(path, query)
    page.get_by_test_id("stSidebar").get_by_text("中文", exact=True).click()
    expect(page.get_by_test_id("stSidebar").get_by_text("注意力显微镜")).to_be_visible()
    change_text(page, path)
    check(page, "after language and text")
    used = 0
    for selector, use in ((SEGMENTS, use_segments), (LISTS, use_list)):
        for place in range(min(8, page.locator(selector).count())):
            control = page.locator(selector).nth(place)
            # a choice may take controls away; the language stays, and another model would be another page
            if (
                not control.count()
                or not control.is_visible()
                or control.get_by_text("English", exact=True).count()
            ):
                continue
            name = (control.inner_text() or "")[:60].replace("\n", " ")
            if selector == LISTS and control.get_by_text("模型", exact=True).count():
                continue
            used += use(page, control)
            settle(page)
            check(page, f"after {selector} {place}: {name}")
    # where there is nothing but the model and the language, nothing is left to choose
    assert used or page.locator(f"{SEGMENTS}, {LISTS}").count() <= 2
