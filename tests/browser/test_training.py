"""Training in a real browser: it moves by itself, can be scrubbed, and its snapshots open on other pages."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.measures import number, settle, until

SMALL = {"t_task": "copy", "t_length": 24, "t_d_model": 64, "t_layers": 2}  # slow enough to be paused
CURVE = ".am-curve canvas"


def chosen(page: Page) -> int:
    return int(page.locator(CURVE).get_attribute("data-chosen") or "-1")


def wait_for_step(page: Page, least: int) -> None:
    """Until the picture shows this step or a later one."""
    until(page, lambda: chosen(page) >= least, f"step {least}")


def train(page: Page, least: int = 30) -> None:
    """Train until a step, then pause."""
    page.get_by_role("button", name="Train", exact=True).click()
    wait_for_step(page, least)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def drag_to(page: Page, curve: Locator, share: float) -> None:
    left, width = number(curve, "left"), number(curve, "width")
    curve.click(position={"x": left + share * width, "y": 60})


def test_it_moves_by_itself_and_can_be_paused(open_page: OpenPage) -> None:
    page = open_page("training", SMALL)
    expect(page.get_by_text("nothing learned yet")).to_be_visible()
    train(page)
    expect(page.get_by_text(re.compile(r"Paused at step \d+ of 400"))).to_be_visible()
    settle(page)  # the picture of the step at which it was paused comes after the words
    at = chosen(page)
    settle(page)
    assert chosen(page) == at
    page.get_by_role("button", name="Go on").click()
    wait_for_step(page, at + 1)
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Train again")).to_be_visible()


def test_scrubbing_by_pointer_and_keyboard_goes_into_the_address(open_page: OpenPage) -> None:
    page = open_page("training", SMALL)
    train(page)
    curve = page.locator(CURVE)
    drag_to(page, curve, 0.0)
    expect(page).to_have_url(re.compile(r"t_step=0\b"))
    expect(curve).to_have_attribute("data-chosen", "0")
    assert curve.get_attribute("aria-valuenow") == "0"
    curve.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"t_step=[1-9]"))
    curve.press("End")
    expect(page).not_to_have_url(re.compile("t_step"))


def test_a_head_is_chosen_in_its_map(open_page: OpenPage) -> None:
    page = open_page("training", {"t_task": "repeat"})
    grid = page.locator(".am-head-grid canvas").first
    grid.focus()
    grid.press("ArrowRight")
    grid.press("Enter")
    expect(page).to_have_url(re.compile("t_head="))
    expect(page.locator(".am-matrix").first).to_contain_text(re.compile(r"Layer \d · head \d"))


def test_a_snapshot_opens_in_the_stage_and_in_the_overview(open_page: OpenPage) -> None:
    page = open_page("training", SMALL)
    train(page)
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name="Step inside").click()
    expect(page).to_have_url(re.compile(r"/steps\?.*model=mine"))
    expect(page.locator(".stage .part.now")).to_be_visible()
    expect(page.locator(".stage .formula")).to_contain_text("enc")  # keys and values come from the encoder
    page.locator(".stage .part[data-step=key]").click()
    expect(page.locator(".stage .words h2")).to_contain_text("Key")
    page.go_back()
    main.get_by_role("button", name="Overview").click()
    expect(page).to_have_url(re.compile(r"/overview\?.*model=mine"))
    expect(page.locator(".am-head-grid canvas.picture")).to_be_visible()


def test_two_tabs_train_different_models(open_page: OpenPage) -> None:
    first = open_page("training", SMALL)
    second = open_page("training", {"t_task": "repeat", "lang": "zh"})
    first.get_by_role("button", name="Train", exact=True).click()
    second.get_by_role("button", name="开始训练").click()
    for page in (first, second):
        wait_for_step(page, 10)
    expect(first.locator(".am-head-grid")).to_have_count(3)
    expect(second.locator(".am-head-grid")).to_have_count(1)
    first.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
    second.get_by_role("button", name="停止").click()


def test_save_and_open_again(open_page: OpenPage) -> None:
    page = open_page("training", SMALL)
    train(page)
    page.get_by_text("Keep it, or bring one").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this snapshot").click()
    name = saved.value.suggested_filename
    assert re.fullmatch(r"copy-seed0-step\d+\.safetensors", name)
    other = open_page("training", {"t_task": "repeat"})
    other.get_by_text("Keep it, or bring one").click()
    other.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": saved.value.path().read_bytes()}
    )
    expect(other.get_by_text(re.compile(r"From a file: \d+ steps"))).to_be_visible()
    expect(other).to_have_url(re.compile("t_task=copy"))


def test_a_file_that_is_no_model_gets_a_sentence(open_page: OpenPage) -> None:
    page = open_page("training")
    page.get_by_text("Keep it, or bring one").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "a.safetensors", "mimeType": "application/octet-stream", "buffer": b"no weights"}
    )
    expect(page.get_by_text("cannot be read as a saved model")).to_be_visible()
    expect(page.locator(CURVE)).to_be_visible()


def test_on_a_phone_nothing_sticks_out(open_page: OpenPage) -> None:
    page = open_page("training", {"t_task": "words-zh", "lang": "zh"}, viewport=PHONE, colour_scheme="dark")
    expect(page.locator(".am-head-grid")).to_have_count(3)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
