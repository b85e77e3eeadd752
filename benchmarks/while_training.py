"""How quickly the app answers while a transformer is being trained in it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from statistics import median

from playwright.sync_api import Browser, Page, expect

from benchmarks.painting import Action, stage_actions, touch_page
from benchmarks.report import Row, Section
from scripts.live import chromium, running_app

ROUNDS = 12  # after one that is not counted
AIM = 500.0  # milliseconds at the median, on two cores
TASK = "repeat"  # the largest model that a task has

_COLUMNS = {"change": "", "idle ms": ".0f", "training ms": ".0f", "worst": ".0f", "ratio": ".2f"}


def run() -> list[Section]:
    """The same clicks without and with one training that runs in another tab, or in the same."""
    with running_app() as app, chromium() as browser:
        rows = list(_measure(browser, app))
    notes = (
        f"Median of {ROUNDS} clicks, from click to changed picture; the aim is {AIM:.0f} ms with one training on",
        f"two cores. What is trained is “{TASK}”; the other tab is step through, whose mask goes through the server.",
    )
    return [Section("Clicks while a transformer is trained (Chromium, milliseconds)", _COLUMNS, rows, notes)]


def _measure(browser: Browser, app: str) -> Iterator[Row]:
    with ExitStack() as stack:
        reader = stack.enter_context(touch_page(browser, f"{app}/?preset=animal&step=weights&i=1&j=0"))
        trainer = stack.enter_context(touch_page(browser, f"{app}/training?t_task={TASK}"))
        trainer.locator(".am-curve canvas").wait_for()
        changes = {
            "another tab: causal mask on or off": stage_actions(reader)["setting"],
            "the training page: another view of the matrices": _view_action(trainer),
        }
        idle = {name: _milliseconds(action) for name, action in changes.items()}
        _begin(trainer)
        busy = {name: _milliseconds(action) for name, action in changes.items()}
        trainer.bring_to_front()
        trainer.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
        for name in changes:
            quick, slow = median(idle[name]), median(busy[name])
            yield {
                "change": name,
                "idle ms": quick,
                "training ms": slow,
                "worst": max(busy[name]),
                "ratio": slow / quick,
            }


def _milliseconds(action: Action) -> list[float]:
    return [action.milliseconds() for _ in range(ROUNDS + 1)][1:]


def _begin(page: Page) -> None:
    page.bring_to_front()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("steps a second")).to_be_visible(timeout=60_000)


def _view_action(page: Page) -> Action:
    names = cycle(("gradient", "weights"))

    def tap() -> None:
        page.get_by_role("radio", name=next(names), exact=True).tap()

    return Action(page, ".st-key-training_matrices", "[data-testid=stCaptionContainer]", tap)
