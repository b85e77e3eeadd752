"""The real app in a real browser: one server and one Chromium per test process, a fresh browser context per page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts import live

RESULTS = live.ROOT / "test-results"
DESKTOP = (1280, 800)
PHONE = (390, 844)

expect.set_options(timeout=60_000)  # milliseconds; a busy machine is not a bug
SLOWER = float(
    os.environ.get("TESTS_SLOWER", "1")
)  # TESTS_SLOWER=5 plays a browser on a machine five times slower

Query = Mapping[str, str | int | float] | Sequence[tuple[str, str]] | str
OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder is a browser test (the hook sees all collected tests)."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep a picture of every page of a failed test in test-results/."""
    report = yield
    if report.when == "call" and report.failed:
        for number, page in enumerate(item.stash.get(_PAGES, [])):
            RESULTS.mkdir(exist_ok=True)
            name = item.name.replace("/", "_")[:100]
            page.screenshot(path=RESULTS / f"{name}-{number}.png", timeout=10_000)
    return report


_PAGES = pytest.StashKey[list[Page]]()


@pytest.fixture(scope="session")
def app_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the running app's output goes into."""
    return tmp_path_factory.mktemp("app") / "log.txt"


@pytest.fixture(scope="session")
def app_url(app_log: Path) -> Iterator[str]:
    """The address of the running app, such as http://127.0.0.1:40123."""
    with live.running_app(log=app_log) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The process's Chromium."""
    with live.chromium() as chromium:
        yield chromium


@pytest.fixture
def watches() -> list[live.Watch]:
    """What is watched in the test's pages. A test that expects a problem may look and clear `watches[0].problems`."""
    return []


@pytest.fixture
def new_page(
    browser: Browser, watches: list[live.Watch], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """A factory of empty, watched pages: `new_page(viewport=PHONE, colour_scheme="dark")`.

    Further keyword arguments go to `Browser.new_context`. The test fails at its end if a page had a script error, a
    console error or a request to another machine.
    """
    pages = request.node.stash.setdefault(_PAGES, [])

    def make(viewport: tuple[int, int] = DESKTOP, colour_scheme: str = "light", **context: object) -> Page:
        size = {"width": viewport[0], "height": viewport[1]}
        page = browser.new_context(viewport=size, color_scheme=colour_scheme, **context).new_page()
        page.set_default_timeout(live.LOAD_LIMIT)
        if SLOWER > 1:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        watches.append(live.Watch(page))
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.context.close()
    problems = [problem for watch in watches for problem in watch.problems]
    if problems:
        pytest.fail("in the browser:\n" + "\n".join(problems))


@pytest.fixture
def open_page(app_url: str, app_log: Path, new_page: Callable[..., Page]) -> Iterator[OpenPage]:
    """Open a page of the app and wait until it is drawn: `open_page("heads", {"lang": "zh"}, viewport=PHONE)`.

    `path` is the page's place in the address ("" is the first page), `query` its parameters as a mapping, a list of
    pairs or a ready string. Further keyword arguments go to `new_page`. The test fails at its end if the app has
    logged an error.
    """
    log = live.ServerLog(app_log)

    def open_(path: str = "", query: Query = "", **page_options: object) -> Page:
        page = new_page(**page_options)
        live.open_page(page, address(app_url, path, query))
        return page

    yield open_
    if errors := log.errors():
        pytest.fail("\n".join(errors))


def address(base: str, path: str = "", query: Query = "") -> str:
    """The full address of a page."""
    text = query if isinstance(query, str) else urlencode(query)
    return f"{base}/{path.lstrip('/')}" + (f"?{text.lstrip('?')}" if text else "")
