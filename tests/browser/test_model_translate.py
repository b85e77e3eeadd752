"""The drawing of the architecture in a real browser: opened with the mouse and the keyboard, on every screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from app.model_view import EXAMPLES
from app.url import State, encode
from models.pretrained import load_model
from models.pretrained.loading import unload_models
from scripts import live
from tests.browser.conftest import DESKTOP, PHONE, OpenPage, address
from tests.browser.measures import cell_centre, settle

TRANSLATOR = encode(State(model=EXAMPLES["en-pt"]))


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    """The ready models lie in the cache; this process does not need them in its memory."""
    for name in ("en-pt", "minilm"):
        load_model(name)
    unload_models()


def drawing(page: Page) -> Locator:
    return page.locator(".am-architecture")


def place(page: Page, name: str) -> Locator:
    return drawing(page).locator(f"g.place[data-place={name}]")


def test_a_click_opens_a_place_and_the_address_reopens_it(open_page: OpenPage) -> None:
    page = open_page("translate", TRANSLATOR)
    expect(place(page, "cross")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("h2")).to_have_text("Cross-attention")
    place(page, "encoder").click()
    expect(page.locator("h2")).to_have_text("Self-attention")
    expect(place(page, "encoder")).to_have_attribute("aria-pressed", "true")
    page.wait_for_url("**stream=encoder*")
    again = open_page("translate", urlsplit(page.url).query)
    expect(again.locator("h2")).to_have_text("Self-attention")


def test_the_keyboard_walks_through_the_places(open_page: OpenPage) -> None:
    page = open_page("translate", TRANSLATOR)
    place(page, "cross").focus()
    expect(drawing(page).locator(".live")).to_contain_text("13 × 11 = 143")
    page.keyboard.press("ArrowDown")
    expect(place(page, "encoder")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h2")).to_have_text("Self-attention")
    expect(place(page, "encoder")).to_be_focused()  # the drawing was made anew meanwhile


def test_pointing_lights_what_flows_into_a_place_and_sends_nothing(
    app_url: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    live.open_page(page, address(app_url, "translate", TRANSLATOR))
    expect(place(page, "cross")).to_be_visible()
    settle(page)
    before = len(sent)
    place(page, "cross").hover()
    lit = drawing(page).locator("g.line.lit")
    expect(lit).to_have_count(4)  # the encoder's output, and Q, K and V
    assert sorted(lit.locator(".letter").all_text_contents()) == ["K", "Q", "V"]
    expect(drawing(page).locator(".tip")).to_contain_text("None is hidden")
    drawing(page).locator("g.box.recurrent").hover()
    expect(lit).to_have_count(0)
    expect(drawing(page).locator(".tip")).to_contain_text("SSRU")
    settle(page)
    assert 0 < before == len(sent)


def test_the_drawing_marks_who_asks_who_is_asked_and_what_is_written(open_page: OpenPage) -> None:
    page = open_page("translate", TRANSLATOR)
    marked = lambda row, hue: drawing(page).locator(f"g.tokens[data-row={row}] text.{hue}")  # noqa: E731
    for row, hue, token in (("decoder", "q", "um"), ("encoder", "k", "car"), ("outputs", "w", "carro")):
        expect(marked(row, hue)).to_have_text(token)
    matrix = page.locator(".am-matrix")
    matrix.locator("canvas.picture").hover(position=cell_centre(matrix, 9, 8))  # type: ignore[arg-type]
    for row, hue, token in (("decoder", "q", "no"), ("encoder", "k", "year"), ("outputs", "w", "ano")):
        expect(marked(row, hue)).to_have_text(token)  # they stood further back than there is room for
    page.locator("h1").hover()
    expect(marked("decoder", "q")).to_have_text("um")


def test_the_pictures_are_the_weights(open_page: OpenPage) -> None:
    """The middle of the strongest cell is darker than that of an empty one."""
    page = open_page("translate", TRANSLATOR)
    tints = (
        place(page, "cross")
        .locator("image")
        .evaluate(
            """async (node) => {
            const image = new Image();
            image.src = node.getAttribute("href");
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const ctx = canvas.getContext("2d");
            ctx.drawImage(image, 0, 0);
            const tint = (row, col) =>
                ctx.getImageData((col + 0.5) * image.width / 11, (row + 0.5) * image.height / 13, 1, 1).data[1];
            return [tint(4, 4), tint(4, 8)];
        }"""
        )
    )
    assert tints[0] < 120 < 230 < tints[1]  # um → car 0.96, um → year 0.00


def test_hostile_tokens_stay_text(open_page: OpenPage) -> None:
    text = "<script>alert(1)</script> <b>x</b> $x$ <img src=x onerror=alert(1)>"
    page = open_page("translate", {**TRANSLATOR, "mtext": text, "mtarget": text})
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    expect(place(page, "cross")).to_be_visible()
    assert page.locator(".am-architecture :is(script, img, b), .stMainBlockContainer h2 b").count() == 0


def test_the_drawing_is_saved_as_a_picture_of_its_own(open_page: OpenPage) -> None:
    page = open_page("translate", {**TRANSLATOR, "mtext": "<script>alert(1)</script> & a car"})
    with page.expect_download() as download:
        drawing(page).get_by_role("button", name="save as a picture").click()
    assert download.value.suggested_filename == "transformer.svg"
    text = Path(download.value.path()).read_text("utf-8")
    root = ElementTree.fromstring(text)
    names = {node.tag.split("}")[-1] for node in root.iter()}
    assert names == {"svg", "g", "rect", "path", "circle", "text", "image"}
    words = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert {"feed-forward", "encoder output", "Recurrent unit", "Q", "K", "V"} <= set(words)
    assert "var(" not in text
    links = [value for node in root.iter() for name, value in node.attrib.items() if name.endswith("href")]
    assert links
    assert all(link.startswith("data:image/png;base64,") for link in links)


def test_a_model_without_the_other_tower_says_so(open_page: OpenPage) -> None:
    page = open_page("translate", {"e_stay": 1})
    expect(drawing(page).locator(".frame.missing")).to_have_count(1)
    expect(drawing(page).locator("g.place")).to_have_count(1)
    expect(drawing(page)).to_contain_text("no decoder")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_drawing_fits_the_first_screen(open_page: OpenPage, lang: str) -> None:
    page = open_page("translate", {**TRANSLATOR, "lang": lang}, viewport=DESKTOP)
    for picture in (drawing(page).locator("svg"), page.locator(".am-matrix")):
        expect(picture).to_be_visible()
        box = picture.bounding_box()
        assert box
        assert box["y"] + box["height"] <= DESKTOP[1], box
    words_inside(page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_phone_needs_no_sideways_scrolling(open_page: OpenPage, lang: str) -> None:
    page = open_page("translate", {**TRANSLATOR, "lang": lang}, viewport=PHONE)
    expect(place(page, "cross")).to_be_visible()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0
    words_inside(page)


def words_inside(page: Page) -> None:
    """No text of a box reaches out of it."""
    outside = drawing(page).evaluate(
        """(root) => [...root.querySelectorAll("g.box, g.place")].flatMap((group) => {
            const box = group.querySelector("rect").getBoundingClientRect();
            return [...group.querySelectorAll("text")].filter((text) => {
                const own = text.getBoundingClientRect();
                const aside = own.left < box.left - 1 || own.right > box.right + 1;
                return aside || own.top < box.top - 3 || own.bottom > box.bottom + 3;
            }).map((text) => text.textContent);
        })"""
    )
    assert outside == []
