"""Our overview of a model, as a reader opens it: what the server sends for it, and when it is painted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, WebSocket

from benchmarks.payloads import Weight, weigh
from benchmarks.payloads import open_page as open_without_browser
from benchmarks.sentences import WORDS
from scripts.live import LOAD_LIMIT, open_page, wait_drawn

OPEN = "am.open_own"  # the button that opens a model of one's own
GRID = "am_head_grid"

# Notes the time of the next click; `painted` is done when a grid of so many heads is there and its frame is out.
_WATCH = """(heads) => {
    const grid = `.am-head-grid[data-heads="${heads}"]`;
    const there = () => [...document.querySelectorAll("*")].some((host) => host.shadowRoot?.querySelector(grid));
    if (there()) throw new Error("the grid is there before the click");
    let begun;
    addEventListener("click", (event) => (begun = event.timeStamp), { capture: true, once: true });
    window.painted = new Promise((resolve, reject) => {
        const look = () => {
            if (begun === undefined || !there()) return requestAnimationFrame(look);
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - begun);
            port2.postMessage(null);
        };
        look();
        setTimeout(() => reject(new Error("no grid was painted")), 60_000);
    });
}"""


@dataclass(frozen=True)
class Painted:
    """Seconds from a click to the painted grid, and the bytes that came through the page's socket because of it."""

    seconds: float
    received: int


def address(folder: Path, text: str) -> dict[str, str]:
    """The query parameters of this model and text."""
    return {"model": str(folder), "mtext": text}


def text_of(tokens: int, turn: int) -> str:
    """A text of `tokens` words, another one for every turn: what is kept of one text does not help with the next."""
    return " ".join(Random(turn).choices(WORDS, k=tokens))


def weigh_grid(folder: Path, text: str) -> Weight:
    """The grid's message as the server would send it."""
    logging.disable(logging.WARNING)  # outside a server Streamlit warns of every access to the session
    try:
        app = open_without_browser("overview", address(folder, text))
        app.button(key=OPEN).click().run()
    finally:
        logging.disable(logging.NOTSET)
    return next(weigh(e.proto) for e in app.get("bidi_component") if e.proto.component_name == GRID)


def from_head_page(browser: Browser, url: str, query: dict[str, str], heads: int) -> Painted:
    """The click that leads from a head's page to the overview: the attention is there, the pictures are not."""
    with _page(browser, f"{url}/head?{urlencode(query)}") as (page, counted):
        _button(page).click()
        page.locator(".st-key-model_head .am-matrix canvas").first.wait_for()
        wait_drawn(page)
        return _measured(
            page, counted, page.get_by_test_id("stSidebar").locator("a[href*='overview']"), heads
        )


def from_nothing(browser: Browser, url: str, query: dict[str, str], heads: int) -> Painted:
    """The click that opens a model at a text it has not read yet: it is loaded if need be, and runs."""
    with _page(browser, f"{url}/overview?{urlencode(query)}") as (page, counted):
        return _measured(page, counted, _button(page), heads)


def _button(page: Page) -> Locator:
    return page.locator(f".st-key-{OPEN.replace('.', '-')} button")


def _measured(page: Page, counted: list[int], place: Locator, heads: int) -> Painted:
    page.evaluate(_WATCH, heads)
    before = sum(counted)
    place.click()
    milliseconds = float(page.evaluate("window.painted"))
    wait_drawn(page)
    return Painted(milliseconds / 1000, sum(counted) - before)


@contextmanager
def _page(browser: Browser, url: str) -> Iterator[tuple[Page, list[int]]]:
    """A page of its own session, and the sizes of what has come through its socket so far."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    sizes: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda message: sizes.append(len(message)))

    try:
        page = context.new_page()
        page.on("websocket", listen)
        page.set_default_timeout(LOAD_LIMIT)
        open_page(page, url)
        yield page, sizes
    finally:
        context.close()
