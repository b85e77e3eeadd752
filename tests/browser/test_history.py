"""Back and Forward as undo and redo; what a reload finds again."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.measures import settle, until

COMPARE = "Which outputs move"
LONG = " ".join(f"word{number}" for number in range(1_300))


def sentence(page: Page) -> Locator:
    return page.get_by_label("Sentence", exact=True)


def type_sentence(page: Page, text: str) -> None:
    sentence(page).fill(text)
    sentence(page).press("Control+Enter")
    settle(page)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name)


def test_back_and_forward_are_undo_and_redo(open_page: OpenPage) -> None:
    page = open_page(query={"text": "I love tea"})
    settle(page)
    length = page.evaluate("history.length")
    for text in ("I love milk", "I love juice"):
        type_sentence(page, text)
    assert page.evaluate("history.length") == length + 2
    page.go_back()
    expect(sentence(page)).to_have_value("I love milk")
    page.go_back()
    expect(sentence(page)).to_have_value("I love tea")
    settle(page)
    assert page.evaluate("location.search") == "?text=I+love+tea"
    page.go_forward()
    page.go_forward()
    expect(sentence(page)).to_have_value("I love juice")
    settle(page)
    assert page.evaluate("location.search") == "?text=I+love+juice"
    assert page.evaluate("history.length") == length + 2


RUNS_UNSEEN = """
    const Seeing = MutationObserver;
    MutationObserver = class extends Seeing {
        observe(target, options) {
            if (!options.attributeFilter?.includes("data-test-script-state")) super.observe(target, options);
        }
    };
"""


def test_a_page_whose_run_was_drawn_at_once_has_entries(new_page: Callable[..., Page], app_url: str) -> None:
    """A busy browser draws the beginning and the end of a run together, so that nobody sees that it ran."""
    page = new_page()
    page.add_init_script(RUNS_UNSEEN)
    page.goto(f"{app_url}/?text=I+love+tea")
    settle(page)
    page.get_by_role("link", name="Compare").click()
    expect(heading(page, COMPARE)).to_be_visible()
    settle(page)
    length = page.evaluate("history.length")
    type_sentence(page, "I love milk")
    assert page.evaluate("history.length") == length + 1


def test_steps_cells_and_switches_are_no_entries(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal"})
    settle(page)
    length = page.evaluate("history.length")
    page.get_by_text("Causal mask").click()
    page.wait_for_function("location.search.includes('mask=causal')")
    page.locator('.stage .part[data-step="output"]').click()
    page.wait_for_function("location.search.includes('step=output')")
    settle(page)
    assert page.evaluate("history.length") == length
    type_sentence(page, "I love tea")
    page.go_back()
    expect(sentence(page)).to_have_value("The animal didn't cross the street because it was tired")
    page.wait_for_function(
        "location.search.includes('step=output') && location.search.includes('mask=causal')"
    )


def test_back_across_pages_brings_page_and_sentence(open_page: OpenPage) -> None:
    page = open_page()
    type_sentence(page, "I love tea")
    page.get_by_role("link", name="Compare").click()
    expect(heading(page, COMPARE)).to_be_visible()
    type_sentence(page, "I love milk")
    page.go_back()
    expect(sentence(page)).to_have_value("I love tea")
    expect(heading(page, COMPARE)).to_be_visible()
    page.go_back()
    expect(heading(page, COMPARE)).to_have_count(0)
    expect(sentence(page)).to_have_value("I love tea")
    settle(page)
    assert page.evaluate("location.pathname + location.search") == "/?text=I+love+tea"
    page.go_forward()
    page.go_forward()
    expect(heading(page, COMPARE)).to_be_visible()
    expect(sentence(page)).to_have_value("I love milk")


def test_a_preset_and_a_model_are_entries(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_test_id("stSidebar").get_by_text("I love NLP", exact=True).click()
    expect(sentence(page)).to_have_value("I love NLP")
    page.wait_for_function("location.search.includes('nlp')")
    page.go_back()
    expect(sentence(page)).to_have_value("我 喜欢 苹果")
    page = open_page("head", {"model": "repeat"})
    text = page.get_by_label("Text", exact=True).first
    expect(text).not_to_have_value("")
    before = text.input_value()
    text.fill("abcabcab")
    text.press("Control+Enter")
    page.wait_for_function("location.search.includes('abcabcab')")
    page.go_back()
    expect(text).to_have_value(before)


def test_a_reload_keeps_a_long_sentence_and_edited_matrices(open_page: OpenPage) -> None:
    page = open_page()
    type_sentence(page, LONG)
    expect(page.get_by_text("1,300 tokens: the first 256 are used")).to_be_visible()
    page.wait_for_function("location.search.includes('rest=text-')")
    page.reload()
    expect(page.get_by_text("1,300 tokens: the first 256 are used")).to_be_visible()
    expect(sentence(page)).to_have_value(LONG)
    type_sentence(page, "short")
    page.go_back()
    expect(sentence(page)).to_have_value(LONG)


def test_without_storage_the_page_works_and_says_what_it_lacks(open_page: OpenPage) -> None:
    page = open_page(query={"rest": "text-0123456789abcdef"})
    expect(page.get_by_text("not kept in this tab: the sentence")).to_be_visible()
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('denied'); } })"
    )
    page.reload()
    type_sentence(page, LONG)
    expect(page.get_by_text("1,300 tokens: the first 256 are used")).to_be_visible()


def test_a_training_is_found_again_after_a_reload(open_page: OpenPage) -> None:
    page = open_page("training", {"t_task": "copy"})
    curve = page.locator(".am-curve canvas")
    page.get_by_role("button", name="Train", exact=True).click()

    def chosen() -> int:
        return int(curve.get_attribute("data-chosen") or "-1")

    until(page, lambda: chosen() >= 20, "step 20")
    settle(page)
    page.reload()
    until(page, lambda: curve.count() > 0 and chosen() >= 20, "the training that goes on")
    expect(
        page.get_by_role("button", name="Train again").or_(page.get_by_role("button", name="Pause"))
    ).to_be_visible()
    assert "tab" not in page.evaluate("location.search")
    assert page.evaluate("sessionStorage.getItem('attention-microscope.tab')").isalnum()


def test_a_step_chosen_just_before_leaving_is_kept(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal"})
    stage = page.locator(".stage")
    expect(stage.locator('.part.now[data-step="scores"]')).to_be_visible()
    stage.locator(".next").click()
    stage.locator(".next").click()
    page.get_by_role("link", name="Heads").click()
    page.wait_for_function("location.pathname === '/heads'")
    page.wait_for_function("location.search.includes('step=weights')")
    page.get_by_role("link", name="Step through").click()
    expect(stage.locator('.part.now[data-step="weights"]')).to_be_visible()


def test_a_link_waits_for_what_was_done_before_it(open_page: OpenPage) -> None:
    """All in one turn of the page's event loop, as it happens when the page is busy."""
    page = open_page(query={"preset": "animal"})
    expect(page.locator('.stage .part.now[data-step="scores"]')).to_be_visible()
    page.evaluate(
        """() => {
            const link = [...document.querySelectorAll("a")].find((one) => one.textContent.includes("Heads"));
            const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot);
            roots.forEach((root) => root?.querySelector(".stage .next")?.click());
            link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true }));
            link.click();
        }"""
    )
    page.wait_for_function("location.pathname === '/heads' && location.search.includes('step=scaled')")
    settle(page)
    sentence(page).fill("I love tea")
    page.evaluate(
        """() => {
            document.activeElement.blur();
            [...document.querySelectorAll("a")].find((one) => one.textContent.includes("Compare")).click();
        }"""
    )
    expect(heading(page, COMPARE)).to_be_visible()
    expect(sentence(page)).to_have_value("I love tea")


def test_what_the_browser_has_not_heard_yet_is_no_choice(open_page: OpenPage) -> None:
    """A sentence, and a switch at once: the second message still has the preset in it that the first one took back."""
    page = open_page(query={"preset": "animal"})
    settle(page)
    sentence(page).fill("I love tea")
    page.evaluate(
        """() => {
            const causal = document.querySelector("[aria-label='Causal mask']");
            document.activeElement.blur();
            setTimeout(() => causal.click(), 5);
        }"""
    )
    page.wait_for_function("location.search.includes('mask=causal')")
    settle(page)
    expect(sentence(page)).to_have_value("I love tea")
    assert "text=I+love+tea" in page.evaluate("location.search")


def test_forward_twice_before_the_page_is_there(open_page: OpenPage) -> None:
    page = open_page(query={"text": "I love tea"})
    page.get_by_role("link", name="Compare").click()
    expect(heading(page, COMPARE)).to_be_visible()
    settle(page)
    type_sentence(page, "I love milk")
    page.go_back()
    expect(sentence(page)).to_have_value("I love tea")
    settle(page)
    page.go_back()
    expect(heading(page, COMPARE)).to_have_count(0)
    settle(page)
    page.evaluate("() => { history.forward(); setTimeout(() => history.forward(), 1); }")
    expect(heading(page, COMPARE)).to_be_visible()
    expect(sentence(page)).to_have_value("I love milk")
    settle(page)
    assert page.evaluate("location.pathname + location.search") == "/compare?text=I+love+milk"


def test_back_moves_the_stage(open_page: OpenPage) -> None:
    page = open_page(query={"preset": "animal", "step": "weights", "i": 3})
    stage = page.locator(".stage")
    expect(stage.locator('.part.now[data-step="weights"]')).to_be_visible()
    type_sentence(page, "I love tea")
    stage.locator('.part[data-step="output"]').click()
    page.wait_for_function("location.search.includes('step=output')")
    page.go_back()
    expect(stage.locator('.part.now[data-step="weights"]')).to_be_visible()
    settle(page)
    assert "step=weights" in page.evaluate("location.search")
