"""From a click to the painted picture, in a real browser: the stage against a Plotly heatmap of the same matrix."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, ViewportSize

from benchmarks.memory import PEER
from benchmarks.report import Row, Section
from benchmarks.sentences import sentence
from benchmarks.timing import Timing
from scripts.live import LOAD_LIMIT, chromium, open_page, running_app, wait_drawn

TOKENS = (12, 64)
PICTURE = ".stage .picture canvas"
ROUNDS = 8  # after one that is not counted

# Notes the time of the next click; `painted` is done when the text of `selector` below `root` has changed and the frame
# with the change is out: a message posted while that frame is made arrives after it.
_WATCH = """(root, selector) => {
    const read = () => root.querySelector(selector)?.textContent;
    const before = read();
    let begun;
    addEventListener("click", (event) => (begun = event.timeStamp), { capture: true, once: true });
    window.painted = new Promise((resolve, reject) => {
        const changes = new MutationObserver(() => {
            if (begun === undefined || read() === before) return;
            changes.disconnect();
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - begun);
            requestAnimationFrame(() => port2.postMessage(null));
        });
        changes.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
        setTimeout(() => reject(new Error(`nothing changed in ${selector}`)), 30_000);
    });
}"""


@dataclass(frozen=True)
class Action:
    """Something a user does: `tap` does it, below `root` the text of `selector` shows that it has happened."""

    page: Page
    root: str
    selector: str
    tap: Callable[[], None]
    settle: bool = False  # wait for the server before the next one

    def milliseconds(self) -> float:
        """Do it once: time from the click to the picture."""
        self.page.bring_to_front()
        self.page.locator(self.root).first.evaluate(_WATCH, self.selector)
        self.tap()
        taken = float(self.page.evaluate("window.painted"))
        if self.settle:
            wait_drawn(self.page)
        return taken


def run() -> list[Section]:
    """Measure both apps in one browser, in turns."""
    with running_app() as app, running_app(PEER) as peer, chromium() as browser:
        rows = [row for tokens in TOKENS for row in _measure(browser, app, peer, tokens)]
    return [Section("From click to painted picture (Chromium, milliseconds)", _COLUMNS, rows, _NOTES)]


def _measure(browser: Browser, app: str, peer: str, tokens: int) -> Iterator[Row]:
    query = urlencode({"preset": "animal", "text": sentence(tokens), "step": "weights", "i": 1, "j": 0})
    with ExitStack() as stack:
        stage_page = stack.enter_context(touch_page(browser, f"{app}/?{query}"))
        peer_page = stack.enter_context(touch_page(browser, f"{peer}/?n={tokens}"))
        stage_page.locator(PICTURE).wait_for()
        peer_page.locator(".gtitle").wait_for()
        ours, theirs = stage_actions(stage_page), peer_actions(peer_page)
        for name in theirs:
            pair = [action for action in (ours.get(name), theirs[name]) if action]
            taken = [[action.milliseconds() for action in pair] for _ in range(ROUNDS + 1)][1:]
            yield _row(tokens, name, [Timing.of(times) for times in zip(*taken, strict=True)])


@contextmanager
def touch_page(browser: Browser, url: str) -> Iterator[Page]:
    """A page with touch, since a finger does not hover first, and without moving pictures, which take their time."""
    size: ViewportSize = {"width": 1280, "height": 800}
    context = browser.new_context(viewport=size, has_touch=True, reduced_motion="reduce")
    try:
        page = context.new_page()
        page.set_default_timeout(LOAD_LIMIT)
        open_page(page, url)
        yield page
    finally:
        context.close()


def stage_actions(page: Page) -> dict[str, Action]:
    """What is measured on the stage, by the names of `_WORDS`."""
    turn = {"cell": 0, "step": 0}

    def tap_cell() -> None:
        turn["cell"] += 1
        page.touchscreen.tap(*cell_point(page, 1 + turn["cell"] % 2, 0))

    def tap_step() -> None:
        turn["step"] += 1
        page.locator(".stage .previous" if turn["step"] % 2 else ".stage .next").tap()

    toggle = page.get_by_test_id("stSidebar").get_by_text("Causal mask")
    return {
        "setting": Action(page, ".stage", ".arithmetic", toggle.tap, settle=True),
        "cell": Action(page, ".stage", ".arithmetic", tap_cell),
        "step": Action(page, ".stage", ".count", tap_step),
    }


def peer_actions(page: Page) -> dict[str, Action]:
    """The same changes on the peer's page, and the smallest one a page of Streamlit can answer.

    The setting comes first: the stage shows it in the arithmetic of the step it is opened at.
    """

    def press(name: str, root: str, selector: str) -> Action:
        return Action(page, root, selector, page.locator(f".st-key-{name} button").tap, settle=True)

    picture = {name: press(name, ".st-key-picture", ".gtitle") for name in ("setting", "cell", "step")}
    return {**picture, "words": press("words", ".st-key-answer", "[data-testid=stText]")}


def cell_point(page: Page, i: int, j: int) -> tuple[float, float]:
    """The middle of the result's cell (i, j) on the stage, in the pixels of the page."""
    canvas = page.locator(PICTURE)
    box = canvas.bounding_box()
    result = json.loads(canvas.get_attribute("data-result") or "{}")
    if not box or not result:
        raise RuntimeError("the stage has not painted a result")
    x = box["x"] + result["x"] + (j + 0.5) * result["width"]
    return x, box["y"] + result["y"] + (i + 0.5) * result["height"]


_WORDS = {
    "setting": "causal mask on or off",
    "cell": "another cell",
    "step": "another step",
    "words": "a word below a button",
}

_COLUMNS = {
    "tokens": "d",
    "change": "",
    "stage": ".0f",
    "(median)": ".0f",
    "Plotly page": ".0f",
    "(median) ": ".0f",
    "ratio": ".2f",
}


def _row(tokens: int, name: str, timings: list[Timing]) -> Row:
    """One action; the last timing is the peer's, before it the stage's if it has this action."""
    theirs = timings[-1]
    ours = timings[0] if len(timings) == 2 else None
    return {
        "tokens": tokens,
        "change": _WORDS[name],
        "stage": ours.least if ours else None,
        "(median)": ours.median if ours else None,
        "Plotly page": theirs.least,
        "(median) ": theirs.median,
        "ratio": ours.median / theirs.median if ours else None,
    }


_NOTES = (
    f"Smallest and median of {ROUNDS} rounds in turns; the ratio is that of the medians. Cells and steps of the stage",
    "are drawn in the browser; the causal mask and all of the Plotly page go through the server (the last row: a rerun",
    "and nothing else). Without the 0.23 s in which a picture moves into the next unless the reader wants no motion.",
)
