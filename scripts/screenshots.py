"""Pictures of every page in both languages, light and dark, wide and narrow, into build/shots/.

    python -m scripts.screenshots             all
    python -m scripts.screenshots heads zh    only those whose file name contains every word

Names each picture and, below it, what is wrong on the page: script and console errors, outside requests, errors in the
server's log, parts that stick out to the side. The exit code is the number of pages with something wrong, 100 at most.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as PageTimeout

from app.model_view import EXAMPLES
from app.navigation import GROUPS
from app.url import State, encode
from scripts import live

SHOTS = live.ROOT / "build" / "shots"
LANGUAGES = ("en", "zh")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SIZES = ((1280, 800), (390, 844))
SETTLE = 600.0  # milliseconds for canvases and charts to be painted after the last message from the server
MAX_HEIGHT = 8000


@dataclass(frozen=True)
class Place:
    """A page to look at: `path` is its place in the address, `query` its parameters besides the language."""

    name: str
    path: str = ""
    query: dict[str, str] = field(default_factory=dict)


PLACES = (
    Place("step-through"),
    Place("step-weights", query={"preset": "animal", "step": "weights", "mask": "causal"}),
    Place("step-512", query={"preset": "paper", "step": "query"}),
    Place("heads", "heads"),
    Place("heads-animal", "heads", {"preset": "animal"}),
    Place("compare", "compare"),
    Place("matrices", "matrices"),
    *(Place(f"lab-{entry.path}", entry.path, {"preset": "animal"}) for entry in GROUPS["labs"]),
    *(Place(f"trained-{entry.path}", entry.path) for entry in GROUPS["trained"]),
    Place("trained-layers", "overview", encode(State(model=EXAMPLES["smollm2"]))),
    Place("trained-cross", "head", encode(State(model=EXAMPLES["en-pt"]))),
    Place(
        "trained-steps-rotary", "steps", {**encode(State(model=EXAMPLES["smollm2"])), "step": "query_rotated"}
    ),
    Place("trained-steps-cross", "steps", {**encode(State(model=EXAMPLES["words-zh"])), "step": "key"}),
    Place("training", "training"),
    Place("training-words", "training", {"t_task": "words-zh"}),
    Place("grow-sampled", "grow", {**encode(State(model=EXAMPLES["smollm2"])), "w_mode": "sampled"}),
    Place("grow-cross", "grow", encode(State(model=EXAMPLES["en-pt"]))),
)

_OVERFLOW = """() => {
    const main = document.querySelector("[data-testid=stMain]");
    const hidden = main.scrollWidth - main.clientWidth;
    if (hidden <= 0) return [];
    const right = main.getBoundingClientRect().right;
    const wide = [...main.querySelectorAll("*")].filter((el) => el.getBoundingClientRect().right > right + 1);
    return [`${hidden} px stick out: ` + wide.slice(-3).map((el) => el.dataset.testid || el.className || el.tagName)];
}"""


@dataclass(frozen=True)
class Shot:
    """One picture to take."""

    place: Place
    language: str
    scheme: Literal["light", "dark"]
    size: tuple[int, int]

    @property
    def name(self) -> str:
        """The picture's file name without its suffix."""
        return f"{self.place.name}-{self.language}-{self.scheme}-{self.size[0]}"

    def address(self, base: str) -> str:
        """The full address of the page."""
        return f"{base}/{self.place.path}?{urlencode({**self.place.query, 'lang': self.language})}"


def shots(words: Sequence[str] = ()) -> Iterator[Shot]:
    """All pictures whose names contain every one of `words`."""
    for place, language, scheme, size in product(PLACES, LANGUAGES, SCHEMES, SIZES):
        shot = Shot(place, language, scheme, size)
        if all(word in shot.name for word in words):
            yield shot


def take(browser: Browser, base: str, shot: Shot, log: live.ServerLog) -> list[str]:
    """Take one picture (of the full height) and return what is wrong on its page."""
    width, height = shot.size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=shot.scheme)
    try:
        page = context.new_page()
        watch = live.Watch(page)
        try:
            live.open_page(page, shot.address(base))
        except PageTimeout:
            watch.problems.append("stayed blank")
        page.wait_for_timeout(SETTLE)
        wide: list[str] = page.evaluate(_OVERFLOW)
        show_all(page, shot.size)
        page.screenshot(path=SHOTS / f"{shot.name}.png")
        return watch.problems + log.errors() + wide
    finally:
        context.close()


def show_all(page: Page, size: tuple[int, int]) -> None:
    """Make the window as tall as the page: the app scrolls inside itself, so a "full page" picture would not do."""
    for _ in range(5):  # what is drawn late, or grows with the window, makes the page taller once more
        tall: int = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        if tall <= (page.viewport_size or {"height": 0})["height"]:
            return
        page.set_viewport_size({"width": size[0], "height": min(tall, MAX_HEIGHT)})
        page.wait_for_timeout(SETTLE)


def main(words: Sequence[str]) -> int:
    """Take the pictures and print what is wrong; returns the number of pages with something wrong."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    bad = 0
    output = SHOTS / "server.log"
    with live.running_app(log=output) as base, live.chromium() as browser:
        log = live.ServerLog(output)
        for shot in shots(words):
            wrong = take(browser, base, shot, log)
            bad += bool(wrong)
            print(f"{shot.name}.png", *wrong, sep="\n    ", flush=True)
    print(f"{bad} pages with something wrong; pictures are in {SHOTS.relative_to(live.ROOT)}")
    return min(bad, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
