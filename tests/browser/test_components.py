"""The components in a real browser: what they draw, what they say, what they send (page: gallery.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from components import theme
from components.bundle import script
from components.head_grid import gamma
from scripts import live
from tests.browser.measures import cell_centre, settle

HOSTILE = ["<script>", "$x$", "**b**", ":red[x]", "a_b"]


@pytest.fixture(scope="module")
def gallery_url() -> Iterator[str]:
    with live.running_app("tests/browser/gallery.py") as url:
        yield url


@pytest.fixture
def sent() -> list[str | bytes]:
    """What the gallery's page has sent to the server."""
    return []


@pytest.fixture
def gallery(gallery_url: str, new_page: Callable[..., Page], sent: list[str | bytes]) -> Page:
    page = new_page(viewport=(1280, 1700))
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    live.open_page(page, gallery_url)
    expect(part(page, "large").locator("canvas.picture")).to_be_visible()
    settle(page)
    return page


def large_values() -> np.ndarray:
    """What the gallery's large matrix shows."""
    return np.random.default_rng(5).standard_normal((300, 400)).astype(np.float32)


def part(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-show_{name}")


def pixels(matrix: Locator, row: int, col: int) -> list[int]:
    """The colours (red, green, blue, alpha of each pixel) inside a cell."""
    return matrix.evaluate(
        """(root, [row, col]) => {
            const { left, top, cw, ch } = root.dataset;
            const ctx = root.querySelector("canvas.picture").getContext("2d");
            return [...ctx.getImageData(+left + col * cw + 3, +top + row * ch + 3, cw - 6, ch - 6).data];
        }""",
        [row, col],
    )


def test_five_looks_differ(gallery: Page) -> None:
    matrix = part(gallery, "looks").locator(".am-matrix")
    assert matrix.get_attribute("data-printed") == "true"
    cells = [pixels(matrix, 0, col) for col in range(5)]
    assert len({tuple(cell) for cell in cells}) == 5
    number, zero, _, _, nan = ({tuple(cell[at : at + 3]) for at in range(0, len(cell), 4)} for cell in cells)
    assert (0xD6, 0x1F, 0x1F) in nan
    paper = (0xFD, 0xFC, 0xF9)
    assert paper in zero
    assert paper not in number


def test_the_legend_names_the_looks_that_occur(gallery: Page) -> None:
    bar = part(gallery, "looks").locator(".bar")
    for look in ("masked", "padding", "not a number", "−2.00"):
        expect(bar).to_contain_text(look)
    expect(part(gallery, "large").locator(".bar")).not_to_contain_text("masked")


def test_labels_and_titles_stay_text(gallery: Page) -> None:
    looks = part(gallery, "looks")
    assert looks.locator("th[scope=col]").all_inner_texts() == HOSTILE
    assert looks.locator("th[scope=row]").all_inner_texts() == ["first", "<b>second</b>"]
    expect(looks.locator(".name")).to_have_text("Looks of <i>cells</i>")
    assert part(gallery, "strip").locator("button").all_inner_texts()[:5] == HOSTILE


def test_the_table_has_every_value(gallery: Page) -> None:
    cells = part(gallery, "looks").locator("tr td:not(:first-child), tr th + td").all_inner_texts()
    assert [text for text in cells if text] == [
        *("0.2500", "0", "masked", "padding", "not a number"),
        *("−1.5000", "0.0040", "2.0000", "1.0e7", "−∞"),
    ]


def test_hovering_shows_labels_and_value_and_sends_nothing(gallery: Page, sent: list[str | bytes]) -> None:
    matrix = part(gallery, "looks").locator(".am-matrix")
    before = len(sent)
    for col, text in enumerate(["0.2500", "0", "masked", "padding", "not a number"]):
        matrix.locator("canvas.picture").hover(position=cell_centre(matrix, 0, col))  # type: ignore[arg-type]
        expect(matrix.locator(".tip")).to_have_text(f"first → {HOSTILE[col]} = {text}")
    assert len(sent) == before


def test_a_click_reaches_python(gallery: Page) -> None:
    looks = part(gallery, "looks")
    matrix = looks.locator(".am-matrix")
    matrix.locator("canvas.picture").click(position=cell_centre(matrix, 1, 3))  # type: ignore[arg-type]
    expect(looks.get_by_text("looks: (1, 3)")).to_be_visible()


def test_arrow_keys_and_enter_choose_a_cell(gallery: Page) -> None:
    looks = part(gallery, "looks")
    looks.locator("canvas.picture").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        gallery.keyboard.press(key)
    expect(looks.locator(".live")).to_have_text("<b>second</b> → **b** = 2.0000")
    gallery.keyboard.press("Enter")
    expect(looks.get_by_text("looks: (1, 2)")).to_be_visible()


def test_values_can_be_copied(gallery: Page) -> None:
    gallery.context.grant_permissions(["clipboard-read", "clipboard-write"])
    looks = part(gallery, "looks")
    looks.locator("button.copy").click()
    expect(looks.locator("button.copy")).to_have_text("copied")
    lines = gallery.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[0].split("\t") == ["", *HOSTILE]
    assert lines[1].split("\t") == ["first", "0.25", "0", "masked", "padding", "NaN"]
    assert lines[2].split("\t") == ["<b>second</b>", "-1.5", "0.004", "2", "10000000", "-Infinity"]


def test_a_large_matrix_is_an_image_that_can_be_zoomed_until_it_prints(gallery: Page) -> None:
    matrix = part(gallery, "large").locator(".am-matrix")
    assert matrix.get_attribute("data-printed") == "false"
    matrix.locator("canvas.picture").hover(position=cell_centre(matrix, 150, 200))  # type: ignore[arg-type]
    row, col, value = re.fullmatch(r"(\d+) → (\d+) = (.*)", matrix.locator(".tip").inner_text()).groups()  # type: ignore[union-attr]
    assert abs(int(row) - 150) <= 1  # a cell is about one pixel wide
    assert abs(int(col) - 200) <= 1
    assert value == theme.cell_number(float(large_values()[int(row), int(col)]), 4)
    for _ in range(8):
        matrix.locator("canvas.picture").press("+")
    expect(matrix).to_have_attribute("data-printed", "true")
    matrix.locator("canvas.picture").dblclick(position={"x": 200, "y": 200})
    expect(matrix).to_have_attribute("data-printed", "false")


def test_a_row_lights_up_in_the_links_and_back(gallery: Page, sent: list[str | bytes]) -> None:
    links = part(gallery, "links")
    before = len(sent)
    matrix = links.locator(".am-matrix")
    matrix.locator("canvas.picture").hover(position=cell_centre(matrix, 1, 0))  # type: ignore[arg-type]
    expect(links.locator(".readout")).to_contain_text("love looks at")
    links.locator(".am-token-links canvas").hover(position={"x": 12, "y": 5})
    expect(links.locator(".readout")).to_contain_text("I looks at")
    assert len(sent) == before


def test_rows_of_matrix_and_links_are_level(gallery: Page) -> None:
    links = part(gallery, "links")
    matrix, picture = links.locator(".am-matrix"), links.locator(".am-token-links")
    assert float(matrix.get_attribute("data-ch") or 0) == float(picture.get_attribute("data-pitch") or 1)
    first_row = matrix.locator("canvas.picture").bounding_box()["y"] + float(
        matrix.get_attribute("data-top") or 0
    )  # type: ignore[index]
    assert picture.locator("canvas").bounding_box()["y"] == pytest.approx(first_row, abs=1)  # type: ignore[index]


def test_heads_are_switched_and_isolated_in_the_browser(gallery: Page, sent: list[str | bytes]) -> None:
    links = part(gallery, "links").locator(".am-token-links")
    before = len(sent)

    def lines() -> int:
        return int(links.get_attribute("data-lines") or -1)

    all_lines = lines()
    links.get_by_role("button", name="Head 2").hover()
    one_head = lines()
    assert 0 < one_head < all_lines
    links.get_by_role("button", name="Head 2").click()
    gallery.mouse.move(0, 0)
    assert lines() == all_lines - one_head
    expect(links.get_by_role("button", name="Head 2")).to_have_attribute("aria-pressed", "false")
    links.get_by_role("button", name="all heads").click()
    gallery.mouse.move(0, 0)
    assert lines() == all_lines
    assert len(sent) == before


def test_a_row_without_a_weight_says_so(gallery: Page) -> None:
    links = part(gallery, "links").locator(".am-token-links")
    links.locator("canvas").focus()
    for _ in range(5):
        gallery.keyboard.press("ArrowDown")
    expect(links.locator(".readout")).to_contain_text("NLP looks at")
    expect(links.locator(".readout")).to_contain_text("nothing")


def test_links_choose_a_token_by_key_and_by_click(gallery: Page) -> None:
    links = part(gallery, "links")
    links.locator(".am-token-links canvas").focus()
    gallery.keyboard.press("ArrowDown")
    gallery.keyboard.press("ArrowDown")
    gallery.keyboard.press("Enter")
    expect(links.get_by_text("links: ('query', 1)")).to_be_visible()
    width = links.locator(".am-token-links canvas").bounding_box()["width"]  # type: ignore[index]
    links.locator(".am-token-links canvas").click(position={"x": width - 10, "y": 5})
    expect(links.get_by_text("links: ('key', 0)")).to_be_visible()


def test_layers_of_heads_form_a_table(gallery: Page) -> None:
    layers = part(gallery, "layers")
    grid = layers.locator(".am-head-grid")
    assert grid.get_attribute("data-columns") == "4"
    grid.locator("canvas.picture").focus()
    gallery.keyboard.press("ArrowDown")
    gallery.keyboard.press("ArrowRight")
    expect(grid.locator(".tip")).to_contain_text("L1 H1")
    gallery.keyboard.press("Enter")
    expect(layers.get_by_text("layers: 5")).to_be_visible()


def test_tokens_are_hidden_and_shown(gallery: Page) -> None:
    strip = part(gallery, "strip")
    buttons = strip.locator("button")
    assert [button.get_attribute("aria-pressed") for button in buttons.all()] == ["false", "true"] + [
        "false"
    ] * 4
    buttons.nth(0).click()
    expect(strip.get_by_text("hidden: [0, 1]")).to_be_visible()
    gallery.keyboard.press("ArrowRight")
    expect(buttons.nth(1)).to_be_focused()
    gallery.keyboard.press("Enter")
    expect(strip.get_by_text("hidden: [0]")).to_be_visible()
    expect(buttons.nth(1)).to_have_attribute("aria-pressed", "false")
    expect(buttons.nth(1)).to_be_focused()
    box = strip.locator(".am-token-strip").bounding_box()
    assert box
    assert box["width"] <= 264
    for button in buttons.all():
        assert button.bounding_box()["width"] <= 264  # type: ignore[index]


def test_dark_theme_repaints(gallery_url: str, new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=(1280, 1700), colour_scheme="dark")
    live.open_page(page, gallery_url)
    matrix = part(page, "looks").locator(".am-matrix.dark")
    expect(matrix).to_be_visible()
    zero = pixels(matrix, 0, 1)
    assert (0x14, 0x16, 0x1B) in {tuple(zero[at : at + 3]) for at in range(0, len(zero), 4)}


# ---- both languages of the code agree ----------------------------------------------------------------------------

VALUES = [0.0, -0.0, 0.125, 0.375, -0.125, 1.005, 2.675, -0.001, 0.004999, 0.5, 1.5, 2.5, 999999.5, 999999.994,
          1e6, 1.25e6, 9.95e7, 9.949e7, -1e30, 1.7e308, 5e-324, 123.456, -7.0, 0.0951, 0.995]  # fmt: skip

IN_JAVASCRIPT = """async ([script, values]) => {
    const module = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const { num, cellNumber, shortNumber, factor, percent } = module;
    const all = [...values, NaN, Infinity, -Infinity];
    return all.map((v) => [num(v), num(v, 0), num(v, 4), cellNumber(v), shortNumber(v), factor(v, 3),
        Number.isFinite(v) && v >= 0 && v <= 1 ? percent(v) : ""]);
}"""


def test_numbers_are_written_alike_in_python_and_javascript(new_page: Callable[..., Page]) -> None:
    written = new_page().evaluate(IN_JAVASCRIPT, [script("lib/numbers.js"), VALUES])
    for value, there in zip([*VALUES, float("nan"), float("inf"), float("-inf")], written, strict=True):
        here = [
            theme.num(value),
            theme.num(value, 0),
            theme.num(value, 4),
            theme.cell_number(value),
            theme.short_number(value),
            theme.factor(value, 3),
            theme.percent(value) if 0 <= value <= 1 else "",
        ]
        assert here == there, value


def test_the_colour_scale_is_the_same_in_python_and_javascript(new_page: Callable[..., Page]) -> None:
    lengths = [1, 2, 3, 10, 64, 256, 1024]
    found = new_page().evaluate(
        """async ([script, lengths]) => {
            const module = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
            return lengths.map(module.evenTint);
        }""",
        [script("lib/colour.js"), lengths],
    )
    assert found == pytest.approx([gamma(length) for length in lengths], abs=1e-12)
