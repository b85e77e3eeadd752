"""The page about heads in a real browser: choosing, hovering, switching, reopening."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from components.theme import cell_number, num
from models.build import build
from models.pretrained.catalogue import READY_MODELS
from models.settings import PRESETS
from scripts import live
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, address
from tests.browser.measures import cell_centre, number, settle

ANIMAL = {"preset": "animal"}


def weights_matrix(page: Page) -> Locator:
    return page.locator(".st-key-heads_weights .am-matrix")


def links(page: Page) -> Locator:
    return page.locator(".am-token-links")


def grid(page: Page) -> Locator:
    return page.locator(".am-head-grid")


def click_head(page: Page, head: int) -> None:
    size = number(grid(page), "size")
    grid(page).locator("canvas.picture").click(
        position={"x": 2 + head * (size + 8) + size / 2, "y": 17 + size / 2}
    )


def test_a_click_enlarges_a_head_and_the_address_reopens_it(open_page: OpenPage) -> None:
    page = open_page("heads", ANIMAL)
    expect(weights_matrix(page).locator(".name")).to_have_text("Weights of head 0")
    click_head(page, 2)
    expect(weights_matrix(page).locator(".name")).to_have_text("Weights of head 2")
    page.wait_for_url("**head=2*")
    again = open_page(page.url.split("/", 3)[3])
    expect(weights_matrix(again).locator(".name")).to_have_text("Weights of head 2")


def test_the_keyboard_chooses_a_head(open_page: OpenPage) -> None:
    page = open_page("heads", ANIMAL)
    grid(page).locator("canvas.picture").focus()
    page.keyboard.press("ArrowRight")
    expect(grid(page).locator(".live")).to_contain_text("Head 1")
    page.keyboard.press("Enter")
    expect(weights_matrix(page).locator(".name")).to_have_text("Weights of head 1")


def test_the_numbers_are_the_engine_s(open_page: OpenPage) -> None:
    page = open_page("heads", {**ANIMAL, "head": 1, "i": 7})
    weights = build(PRESETS["animal"])["weights"].value
    expect(weights_matrix(page).locator("tr")).to_have_count(11)
    table = weights_matrix(page).locator("tr").all()[1:]
    for row, line in zip(weights[1].tolist(), table, strict=True):
        assert line.locator("td").all_inner_texts() == [cell_number(value, 4) for value in row]
    # "it" in all heads, strongest first
    head, key = divmod(int(weights[:, 7].argmax()), 10)
    label = PRESETS["animal"].text.split()[key]
    first = links(page).locator(".readout .link").first
    expect(first).to_have_text(f"{label}{num(float(weights[head, 7, key]))}Head {head}")


def test_hovering_a_cell_lights_the_links_and_sends_nothing(
    app_url: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    live.open_page(page, address(app_url, "heads", ANIMAL))
    expect(links(page).locator(".readout")).to_contain_text("animal looks at")
    settle(page)
    before = len(sent)
    matrix = weights_matrix(page)
    matrix.locator("canvas.picture").hover(position=cell_centre(matrix, 5, 3))  # type: ignore[arg-type]
    expect(links(page).locator(".readout")).to_contain_text("street looks at")
    expect(matrix.locator(".tip")).to_contain_text("street → cross")
    grid(page).locator("canvas.picture").hover(position={"x": 200, "y": 60})
    expect(links(page).locator(".readout")).not_to_contain_text("Head")  # one head alone needs no name
    settle(page)
    assert before > 0
    assert len(sent) == before


def test_a_click_on_a_token_shows_what_each_head_adds_to_it(open_page: OpenPage) -> None:
    page = open_page("heads", ANIMAL)
    expect(links(page).locator(".readout")).to_contain_text(
        "animal looks at"
    )  # the rows are level with the matrix now
    pitch = number(links(page), "pitch")
    links(page).locator("canvas").click(position={"x": 20, "y": 7.5 * pitch})
    expect(page.locator(".st-key-heads_parts .name")).to_have_text("What each head adds to “it”")
    page.wait_for_url("**i=7*")
    output = build(PRESETS["animal"])["output"].value[7]
    last = page.locator(".st-key-heads_parts tr").last
    assert last.locator("td").all_inner_texts() == [cell_number(value, 4) for value in output.tolist()]


def test_heads_are_switched_on_and_off(open_page: OpenPage) -> None:
    page = open_page("heads", ANIMAL)
    expect(links(page)).to_have_attribute("data-lines", "40")  # the pinned token in four heads
    before = 40
    links(page).get_by_role("button", name="Head 3").click()
    page.mouse.move(5, 5)
    expect(links(page)).to_have_attribute("data-lines", str(before - 10))
    links(page).get_by_role("button", name="all heads").click()
    expect(links(page)).to_have_attribute("data-lines", str(before))


def test_hostile_tokens_stay_text(open_page: OpenPage) -> None:
    page = open_page(
        "heads", {"text": "<script>alert(1)</script> **b** $x$ a_b", "d": 8, "heads": 2, "vec": "seeded"}
    )
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    expect(weights_matrix(page).locator("th[scope=row]").first).to_have_text("< (0)")  # there are two
    labels = weights_matrix(page).locator("th[scope=row]").all_inner_texts()
    assert labels[:6] == ["< (0)", "script (1)", "> (2)", "alert", "(", "1"]
    assert "a_b" in labels


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("preset", ["animal", "paper", "fruit"])
def test_the_main_picture_fits_the_first_screen(open_page: OpenPage, preset: str, lang: str) -> None:
    page = open_page("heads", {"preset": preset, "lang": lang}, viewport=DESKTOP)
    for picture in (grid(page), weights_matrix(page), links(page)):
        expect(picture).to_be_visible()
        box = picture.bounding_box()
        assert box
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= DESKTOP[1]


@pytest.mark.parametrize("preset", ["animal", "paper"])
def test_a_phone_needs_no_sideways_scrolling(open_page: OpenPage, preset: str) -> None:
    page = open_page("heads", {"preset": preset}, viewport=PHONE)
    expect(weights_matrix(page)).to_be_visible()
    for picture in page.locator(".stMainBlockContainer .am").all():
        box = picture.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0


def test_256_tokens(open_page: OpenPage) -> None:
    text = " ".join(f"w{number}" for number in range(256))
    page = open_page("heads", {"preset": "animal", "text": text, "mask": "causal"})
    expect(grid(page).locator(".bar")).to_contain_text("256 tokens as 64 × 64 block maxima")
    weights_matrix(page).locator("canvas.picture").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(weights_matrix(page).locator(".live")).to_contain_text("w2 → ")
    expect(links(page).locator(".readout")).to_contain_text("w2 looks at")


def test_the_language_changes_without_losing_the_head(open_page: OpenPage) -> None:
    page = open_page("heads", {**ANIMAL, "head": 1})
    page.get_by_text("中文", exact=True).click()
    expect(weights_matrix(page).locator(".name")).to_have_text("头 1 的权重")
    live.wait_drawn(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_one_click_from_random_weights_to_the_same_sentence_in_a_trained_head(open_page: OpenPage) -> None:
    if not READY_MODELS["minilm"].ready:
        pytest.skip("MiniLM has not been fetched")
    page = open_page("heads", ANIMAL)
    page.get_by_role("button", name="The same sentence in a trained head").click()
    page.wait_for_url("**/head?*")
    expect(page.locator("h1")).to_have_text("Layer 3 · Head 1")
    expect(page.locator(".am-token-links .readout")).to_contain_text("it looks at")
    page.wait_for_url("**mtext=The*animal*tired*")
