"""Pages whose canvases keep what was painted on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from scripts import live
from tests.browser.conftest import SLOWER, address
from tests.browser.painted.reading import RECORDER

Painted = Callable[..., Page]


@pytest.fixture(scope="session")
def cases_url() -> Iterator[str]:
    with live.running_app("tests/browser/painted/page.py") as url:
        yield url


@pytest.fixture
def show(cases_url: str, new_page: Callable[..., Page]) -> Painted:
    """Open the page of one case: `show("matrix", "looks", dark=True)`."""

    def open_(kind: str, case: str, *, dark: bool = False) -> Page:
        return recorded(new_page, f"{cases_url}/?{urlencode({'show': kind, 'case': case})}", dark)

    return open_


@pytest.fixture
def show_app(app_url: str, new_page: Callable[..., Page]) -> Painted:
    """Open a page of the app: `show_app("", {"preset": "fruit"}, dark=True)`."""

    def open_(path: str, query: dict[str, str], *, dark: bool = False) -> Page:
        return recorded(new_page, address(app_url, path, query), dark)

    return open_


def recorded(new_page: Callable[..., Page], url: str, dark: bool) -> Page:
    page = new_page(colour_scheme="dark" if dark else "light")
    page.add_init_script(RECORDER)
    live.open_page(page, url)
    page.wait_for_function(STILL, polling=250, timeout=60_000 * SLOWER)
    return page


# What is painted is the same as a quarter of a second ago, and there is something.
STILL = """() => {
    const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
    const canvases = roots.flatMap((root) => [...root.querySelectorAll("canvas")]);
    const painted = canvases.flatMap((canvas) => canvas.painted ?? []);
    const now = JSON.stringify(painted.map(({ data, ...mark }) => mark));
    const still = painted.length > 0 && now === window.paintedBefore;
    window.paintedBefore = now;
    return still && document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
}"""
