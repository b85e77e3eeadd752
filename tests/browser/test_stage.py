"""What only a browser shows of the stage: clicks on cells, hovering, keys, the address, panels, untrusted text."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, WebSocket, expect

from models.build import build
from models.explain import explain
from models.settings import PRESETS
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.measures import settle

FRUIT = {"preset": "fruit", "step": "scores", "i": 0, "j": 0}


def on_stage(page: Page, selector: str):  # type: ignore[no-untyped-def]
    return page.locator(f".stage {selector}")


def cell_point(page: Page, i: int, j: int) -> tuple[float, float]:
    """The middle of the result's cell (i, j), in the pixels of the page."""
    canvas = on_stage(page, "canvas").first
    box = canvas.bounding_box()
    assert box is not None
    result = json.loads(canvas.get_attribute("data-result") or "")
    return (
        box["x"] + result["x"] + (j + 0.5) * result["width"],
        box["y"] + result["y"] + (i + 0.5) * result["height"],
    )


def wait_for_step(page: Page, step: str) -> None:
    expect(on_stage(page, f'.part.now[data-step="{step}"]')).to_be_visible()


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def test_a_click_on_a_cell_writes_its_arithmetic(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    page.mouse.click(*cell_point(page, 1, 2))
    page.mouse.move(5, 5)
    text = on_stage(page, ".arithmetic").inner_text()
    assert text.replace(" ", "") == "q(喜欢)·k(苹果)=0.40×0.70+0.50×0.80+0.60×0.90=1.22"


@pytest.mark.parametrize("step", ["query", "scaled", "weights", "head_output", "output"])
def test_the_arithmetic_ends_with_the_cell_of_the_trace(open_page: OpenPage, step: str) -> None:
    trace = build(PRESETS["animal"])
    page = open_page(query={"preset": "animal", "step": step, "i": 7, "j": 1})
    wait_for_step(page, step)
    index = (0, 7, 1) if trace[step].axes[0] == "head" else (7, 1)
    expected = f"{explain(trace, step, index).evaluate():.3f}".replace("-", "−")
    expect(on_stage(page, ".arithmetic .sum").last).to_have_text(expected)


def test_arrow_keys_step_and_move_the_cell(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    page.keyboard.press("ArrowRight")
    wait_for_step(page, "scaled")
    page.keyboard.press("ArrowLeft")
    wait_for_step(page, "scores")
    on_stage(page, "canvas").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(on_stage(page, ".arithmetic")).to_contain_text("q(喜欢)")
    expect(on_stage(page, ".arithmetic")).to_contain_text("k(喜欢)")
    wait_for_step(page, "scores")
    page.keyboard.press("PageDown")
    wait_for_step(page, "scaled")


def test_arrow_keys_in_a_text_field_stay_there(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    page.get_by_test_id("stSidebar").locator("textarea").click()
    page.keyboard.press("ArrowRight")
    wait_for_step(page, "scores")


def test_the_formula_is_the_stepper(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    for step in ("tokens", "value", "head_output", "weights", "output"):
        on_stage(page, f'.part[data-step="{step}"]').click()
        wait_for_step(page, step)
        assert on_stage(page, ".words h2").inner_text()


def test_hovering_sends_nothing_and_lights_the_cell(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    settle(page)
    sent: list[object] = []

    def watch(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", watch)
    page.reload()
    wait_for_step(page, "scores")
    settle(page)
    before = len(sent)
    for i in range(3):
        for j in range(3):
            page.mouse.move(*cell_point(page, i, j))
    expect(on_stage(page, ".arithmetic")).to_contain_text("k(苹果)")
    settle(page)
    assert len(sent) == before, "hovering talked to the server"
    assert before > 0, "the watch saw no frames at all"


def test_the_copied_address_reopens_the_same_view(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal", "mask": "causal"})
    on_stage(page, '.part[data-step="weights"]').click()
    wait_for_step(page, "weights")
    page.mouse.click(*cell_point(page, 4, 2))
    page.wait_for_function("location.search.includes('i=4')")
    assert parameters(page)["step"] == "weights"
    arithmetic = on_stage(page, ".arithmetic").inner_text()
    again = open_page(query=urlparse(page.url).query)
    wait_for_step(again, "weights")
    expect(on_stage(again, ".arithmetic")).to_have_text(arithmetic)


def test_a_script_token_stays_text(open_page: OpenPage) -> None:
    page = open_page(
        query={
            "text": "<script>alert(1)</script> $x$ **b** :red[x] <img src=x onerror=alert(2)>",
            "step": "weights",
        }
    )
    wait_for_step(page, "weights")
    assert page.locator(".stage script, .stage img").count() == 0
    on_stage(page, ".open-table").click()
    expect(on_stage(page, ".panel.table th[scope=row]").nth(1)).to_have_text("script")


def test_terms_and_table_open_on_demand(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    expect(on_stage(page, ".panel.terms")).to_be_hidden()
    on_stage(page, ".open-terms").click()
    expect(on_stage(page, ".panel.terms tbody tr")).to_have_count(3)
    on_stage(page, ".open-table").click()
    expect(on_stage(page, ".panel.table tbody tr")).to_have_count(3)


def test_long_vectors_show_their_largest_terms(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "paper", "step": "scores"})
    wait_for_step(page, "scores")
    expect(on_stage(page, ".arithmetic .term")).to_have_count(8)
    expect(on_stage(page, ".arithmetic")).to_contain_text("56 smaller terms")
    expect(on_stage(page, ".panel.terms tbody tr")).to_have_count(64)


def test_language_changes_at_once_and_loses_nothing(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal", "step": "weights", "i": 7, "j": 1, "temp": 0.5})
    wait_for_step(page, "weights")
    numbers = on_stage(page, ".arithmetic").inner_text()
    page.get_by_role("radio", name="中文").click()
    expect(on_stage(page, ".words h2")).to_have_text("softmax：得分变成份额")
    wait_for_step(page, "weights")
    expect(on_stage(page, ".arithmetic")).to_have_text(numbers)


def test_changed_settings_keep_the_step(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    page.get_by_test_id("stSidebar").get_by_text("Causal mask").click()
    expect(on_stage(page, '.part[data-step="masked"]')).to_be_visible()
    wait_for_step(page, "scores")


def test_a_phone_shows_it_without_scrolling_sideways(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal", "step": "weights"}, viewport=PHONE)
    wait_for_step(page, "weights")
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") == 0


def test_the_code_of_the_step(open_page: OpenPage) -> None:
    page = open_page(query=FRUIT)
    wait_for_step(page, "scores")
    page.get_by_text("The code of this step").click()
    expect(page.get_by_text("def dot_products")).to_be_visible()
    page.get_by_role("tab", name="The same with your numbers").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as a file").click()
    text = download.value.path().read_text("utf-8")
    assert "import torch" in text
    namespace: dict[str, object] = {}
    exec(text, namespace)
    assert namespace["result"].tolist()[1][2] == pytest.approx(1.22)  # type: ignore[attr-defined]
