"""Growing text in a real browser: clicks, the keyboard, the address, and a text that writes itself."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from app.model_view import EXAMPLES
from app.url import State, encode
from models.pretrained import load_model
from models.pretrained.loading import unload_models
from scripts import live
from tests.browser.conftest import DESKTOP, PHONE, OpenPage
from tests.browser.measures import cell_centre, settle

PROMPT = 14  # tokens of the example


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    for name in ("minilm", "smollm2", "en-pt"):
        load_model(name)
    unload_models()


def example(name: str, **changes: str) -> dict[str, str]:
    return {**encode(State(model=EXAMPLES[name])), **changes}


def tokens(page: Page) -> Locator:
    return page.locator(".am-token-text .line").last.locator(".token")


def candidates(page: Page) -> Locator:
    return page.locator(".am-token-choice button.row")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_token_at_a_time(open_page: OpenPage) -> None:
    page = open_page("grow", example("smollm2"))
    expect(tokens(page)).to_have_count(PROMPT)
    expect(candidates(page).first).to_contain_text("dawn")
    press(page, "Next token")
    expect(tokens(page)).to_have_count(PROMPT + 1)
    expect(tokens(page).last).to_have_text("dawn")
    expect(page.locator(".am-matrix")).to_contain_text("15 × 15")
    candidates(page).nth(2).click()
    expect(tokens(page)).to_have_count(PROMPT + 2)
    chosen = tokens(page).last.inner_text()
    page.wait_for_url("**w_ids=*")
    press(page, "Back")
    expect(tokens(page)).to_have_count(PROMPT + 1)
    expect(candidates(page).nth(2)).to_contain_text(chosen)
    press(page, "10 more")
    expect(tokens(page)).to_have_count(PROMPT + 11)
    page.wait_for_function("count => new URL(location).searchParams.get('w_ids').length > 30", arg=None)
    text = tokens(page).all_inner_texts()
    again = open_page("grow", urlsplit(page.url).query)
    expect(tokens(again)).to_have_count(PROMPT + 11)
    assert tokens(again).all_inner_texts() == text


def test_the_keyboard_takes_a_candidate(open_page: OpenPage) -> None:
    page = open_page("grow", example("smollm2", w_mode="sampled", w_seed="3"))
    expect(page.locator(".am-token-choice .needle")).to_be_visible()
    candidates(page).first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = candidates(page).nth(2).locator(".token").inner_text()
    page.keyboard.press("Enter")
    expect(tokens(page)).to_have_count(PROMPT + 1)
    assert tokens(page).last.inner_text() == second.lstrip("␣")


def test_looking_at_an_earlier_row(open_page: OpenPage) -> None:
    page = open_page("grow", example("smollm2"))
    expect(tokens(page).nth(13)).to_have_class("token spaced asks")
    tokens(page).nth(4).click()
    expect(tokens(page).nth(4)).to_have_class("token spaced asks")
    page.wait_for_url("**w_row=4*")
    live.wait_drawn(page)
    picture = page.locator(".am-matrix")
    picture.locator("canvas.picture").click(position=cell_centre(picture, 12, 5))  # type: ignore[arg-type]
    expect(tokens(page).nth(12)).to_have_class("token spaced asks")
    press(page, "Next token")
    expect(tokens(page).nth(14)).to_have_class("token spaced asks new written")


def test_the_model_writes_by_itself_until_it_ends(open_page: OpenPage) -> None:
    page = open_page("grow", example("en-pt"))
    press(page, "Play")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(tokens(page).last).to_have_text("</s>", timeout=180_000)
    expect(page.get_by_role("button", name="Play")).to_be_disabled()
    expect(page.get_by_text("has ended its text")).to_be_visible()
    assert "".join(tokens(page).all_inner_texts()).startswith("<s>Eucomprei")
    page.wait_for_url("**w_ids=*")


def test_play_and_pause(open_page: OpenPage) -> None:
    page = open_page("grow", example("smollm2"))
    press(page, "Play")
    expect(tokens(page).nth(PROMPT + 3)).to_be_visible(timeout=180_000)
    press(page, "Pause")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    settle(page)
    count = tokens(page).count()
    settle(page)
    assert tokens(page).count() == count


def test_hostile_tokens_stay_text(open_page: OpenPage) -> None:
    text = "<b>x</b><img src=x onerror=alert(1)> $x$ :red[x] </script><script>alert(1)</script>"
    page = open_page("grow", example("smollm2", mtext=text))
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    press(page, "Next token")
    expect(tokens(page).last).to_have_class("token asks new written")
    assert page.locator(".am-token-text img, .am-token-text script, .am-token-choice img").count() == 0


def test_a_reader_leads_to_a_writer(open_page: OpenPage) -> None:
    page = open_page("grow", {"w_stay": 1})
    expect(page.get_by_text("MiniLM-L6 reads, it does not write.")).to_be_visible()
    page.get_by_role("button", name="SmolLM2 · continues").click()
    expect(tokens(page)).to_have_count(PROMPT)
    expect(page.get_by_test_id("stSidebar").get_by_text("The ship left")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["smollm2", "en-pt"])
def test_the_first_screen(open_page: OpenPage, name: str, lang: str) -> None:
    page = open_page("grow", example(name, lang=lang), viewport=DESKTOP)
    for selector in (".am-token-text", ".am-matrix", ".am-token-choice"):
        expect(page.locator(selector)).to_be_visible()
        box = page.locator(selector).bounding_box()
        assert box
        assert box["y"] + box["height"] <= DESKTOP[1], (selector, box)


def test_a_phone_needs_no_sideways_scrolling(open_page: OpenPage) -> None:
    page = open_page("grow", example("smollm2", w_mode="sampled"), viewport=PHONE)
    expect(candidates(page).first).to_be_visible()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0
