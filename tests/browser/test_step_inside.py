"""Step inside: whatever a model does can be stepped through, and of a long text a part is shown."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.measures import settle
from tests.browser.test_stage import cell_point, on_stage, wait_for_step
from tests.models.pretrained import folders
from tests.models.pretrained.architectures import build

LONG = "The animal did not cross the street because it was too tired. " * 30
TALL = ("Qwen3-Next (gated)", "gpt-oss (sinks)", "Gemma 2 (softcap)", "OLMo 2", "DeepSeek V3 (MLA)")


def chosen(page: Page) -> tuple[str, str]:
    """The query and the key that the address names."""
    query = parse_qs(urlparse(page.url).query)
    return query.get("mi", ["0"])[0], query.get("mj", ["0"])[0]


def test_of_a_long_text_the_part_around_the_chosen_tokens_is_shown(open_page: OpenPage) -> None:
    page = open_page("steps", {"model": "smollm2", "mtext": LONG, "step": "scores", "mi": 300, "mj": 100})
    wait_for_step(page, "scores")
    expect(page.get_by_text("32 of the 391 tokens are drawn")).to_be_visible()
    settle(page)
    assert chosen(page) == ("300", "100")
    # the window has 16 tokens around each: 92 … 107 and 292 … 307
    page.mouse.click(*cell_point(page, 20, 3))
    page.mouse.move(5, 5)
    page.wait_for_function("location.search.includes('mi=296')")
    settle(page)
    assert chosen(page) == ("296", "95")
    on_stage(page, ".next").click()
    wait_for_step(page, "scaled")
    on_stage(page, ".previous").click()
    wait_for_step(page, "scores")
    settle(page)
    assert chosen(page) == ("296", "95")


def test_another_key_moves_the_part(open_page: OpenPage) -> None:
    page = open_page("steps", {"model": "smollm2", "mtext": LONG, "step": "weights", "mi": 300, "mj": 100})
    wait_for_step(page, "weights")
    settle(page)
    page.get_by_role("combobox", name="Key", exact=False).click()
    page.keyboard.type("Key 0:")
    page.keyboard.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('mj') !== '100'")
    settle(page)
    wait_for_step(page, "weights")
    expect(on_stage(page, ".arithmetic")).to_contain_text("→ The")


@pytest.mark.parametrize("name", TALL)
def test_every_step_of_other_models_can_be_gone_to(open_page: OpenPage, tmp_path: Path, name: str) -> None:
    model, _ = build(name, vocab_size=400)
    folder = folders.save(tmp_path, model)
    page = open_page("steps", {"model": str(folder), "mtext": "the fox and the dog", "step": "input"})
    page.get_by_role("button", name="Open it").click()
    wait_for_step(page, "input")
    parts = on_stage(page, ".formula .part[data-step]")
    steps = [part.get_attribute("data-step") for part in parts.all()]
    assert len(steps) == len(set(steps)) >= 12
    seen = {"input"}
    for _ in range(len(steps) - 1):
        page.keyboard.press("ArrowRight")
        now = on_stage(page, ".formula .part.now").get_attribute("data-step")
        assert now not in seen
        seen.add(str(now))
        expect(on_stage(page, ".arithmetic .sum").last).not_to_be_empty()
    assert seen == set(steps)
