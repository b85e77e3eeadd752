"""The running app and a browser to look at it with: what browser tests, benchmarks and screenshots start from.

with running_app() as url, chromium() as browser:
    page = browser.new_page()
    watch = Watch(page)
    open_page(page, url)
    assert not watch.problems
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright
from playwright.sync_api import TimeoutError as PageTimeout

ROOT = Path(__file__).parent.parent
START_LIMIT = (
    300.0  # seconds until the server is healthy: importing torch alone may take 15, on a slow machine 75
)
LOAD_LIMIT = 150_000.0  # milliseconds until a page is drawn; a first visit may wait for the imports

# No sandbox: containers and root have none. The rest keeps the browser from calling its maker; the resolver rule
# turns any other outside request into an error at once instead of a long wait.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# The script has run to its end and there is something on the page.
_DRAWN = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    const main = document.querySelector("[data-testid=stMain]");
    return app?.dataset.testScriptState === "notRunning" && app.dataset.testConnectionState === "CONNECTED"
        && main?.querySelector("[data-testid=stMainBlockContainer] .stElementContainer") != null;
}"""

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # where `rich` is installed, Streamlit's log has colours


@contextmanager
def running_app(
    script: str = "app/server.py", port: int | None = None, log: Path | None = None
) -> Iterator[str]:
    """Start the app as a user would and give its address; it is stopped at the end. Its output goes into `log`.

    Raises RuntimeError, with the end of the server's log, if it is not healthy within `START_LIMIT` seconds.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    with log.open("w+b") if log else tempfile.TemporaryFile() as output:
        server = subprocess.Popen(
            [*command, "--server.address=127.0.0.1"], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_healthy(url, server, output)
            yield url
        finally:
            _stop(server)


class ServerLog:
    """The errors that the app writes to its log: a page that fails shows one friendly sentence, the rest is there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = path.stat().st_size

    def errors(self) -> list[str]:
        """The log since the last call, if it has a traceback in it."""
        with self._path.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        self._read += len(new)
        text = _COLOURS.sub("", new.decode("utf-8", "replace")).strip()
        return [f"server log: {text}"] if "Traceback (most recent call last)" in text else []


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the program that CHROMIUM names, else the system's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_program(), args=CHROMIUM_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def chromium_program() -> str:
    """The path of the browser. Raises FileNotFoundError when there is none."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "google-chrome")
    program = next((path for name in names if name and (path := shutil.which(name))), None)
    if program is None:
        raise FileNotFoundError(
            "no Chromium: run scripts/browser_packages.sh or set CHROMIUM to a browser's program"
        )
    return program


def open_page(page: Page, url: str) -> None:
    """Open `url` and wait until the app has drawn it.

    About one load in a hundred stays blank on a busy machine, so a blank page is loaded a second time.
    Raises playwright's TimeoutError if it is blank then, too.
    """
    for attempt in (1, 2):
        try:
            page.goto(url, timeout=LOAD_LIMIT)
            wait_drawn(page)
            return
        except PageTimeout:
            if attempt == 2:
                raise


def wait_drawn(page: Page) -> None:
    """Wait until the script has run to its end and the page shows something."""
    page.wait_for_function(_DRAWN, timeout=LOAD_LIMIT)


class Watch:
    """Collects what must not happen in a page: script errors, console errors, requests to other machines."""

    def __init__(self, page: Page) -> None:
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("websocket", lambda socket: self._address(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _harmless(message):
            where = message.location.get("url", "")
            self.problems.append(f"console error: {message.text} ({where})")

    def _request(self, request: Request) -> None:
        self._address(request.url)

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
            self.problems.append(f"outside request: {url}")


def _harmless(message: ConsoleMessage) -> bool:
    """A deep link to a page makes Streamlit look for its own endpoints below that page first: two 404s."""
    path = urlsplit(message.location.get("url", "")).path
    endpoint = path.endswith(("/_stcore/health", "/_stcore/host-config"))
    return endpoint and not path.startswith("/_stcore/") and "404" in message.text


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_healthy(url: str, server: subprocess.Popen[bytes], output: IO[bytes]) -> None:
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":  # the status says nothing: unknown paths answer 200, too
                    return
        except OSError:
            pass
        time.sleep(0.2)
    output.seek(0)
    tail = output.read().decode("utf-8", "replace")[-2000:]
    raise RuntimeError(f"the app did not become healthy at {url}:\n{tail}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
