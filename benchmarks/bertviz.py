"""BertViz's model view, and how long a browser takes to draw it.

BertViz is installed into build/peers (see bertviz.txt); what its page loads from a content delivery network comes from
the packages of the npm registry instead.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, Route
from playwright.sync_api import TimeoutError as PageTimeout
from torch import Tensor

from scripts.live import ROOT

PEERS = ROOT / "build" / "peers"
REQUIREMENTS = Path(__file__).with_suffix(".txt")
LIMIT = 240.0  # seconds until the page must be drawn

# The end of an address, the npm package and the file in it that answers. BertViz asks for jQuery 2.0.0, which is not
# there.
SCRIPTS = {
    "/require.min.js": ("requirejs@2.3.6", "package/require.js"),
    "/d3.min.js": ("d3@5.7.0", "package/dist/d3.min.js"),
    "/jquery.min.js": ("jquery@2.1.0", "package/dist/jquery.min.js"),
}

# The time from the start of the page to the end of the first frame that has all lines; or what went wrong.
_WATCH = """(() => {
    addEventListener("error", (event) => (window.failed ??= event.message));
    const look = () => {
        if (document.getElementsByTagName("line").length < LINES) return setTimeout(look, 20);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (window.drawn = performance.now());
        requestAnimationFrame(() => port2.postMessage(null));
    };
    look();
})()"""


class PeerError(Exception):
    """BertViz, or what its page needs, cannot be had here; the message says why."""


@dataclass(frozen=True)
class ModelView:
    """The page, how many lines it draws (one per weight), and the seconds that Python took to write it."""

    html: str
    lines: int
    seconds: float

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.html.encode())


def model_view(attentions: Sequence[Tensor], tokens: Sequence[str]) -> ModelView:
    """BertViz's view of all layers and heads (each 1 × H × N × N). Raises PeerError if it cannot be installed."""
    bertviz = _installed()
    begun = time.perf_counter()
    html = bertviz.model_view(attentions, list(tokens), html_action="return").data
    seconds = time.perf_counter() - begun
    return ModelView(html, sum(weights[0].numel() for weights in attentions), seconds)


def drawn(browser: Browser, view: ModelView, scripts: Path) -> float | None:
    """Seconds from opening the page to the picture; None if it takes longer than `LIMIT`."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model_view.html"
        file.write_text(f"<!doctype html><meta charset=utf-8><body>{view.html}", "utf-8")
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        try:
            page.route(re.compile("^https?://"), lambda route: _answer(route, scripts))
            page.add_init_script(_WATCH.replace("LINES", str(view.lines)))
            page.goto(file.as_uri(), wait_until="commit", timeout=LIMIT * 1000)
            return _seconds(page)
        finally:
            page.close()


def _seconds(page: Page) -> float | None:
    try:
        page.wait_for_function("window.drawn || window.failed", timeout=LIMIT * 1000)
    except PageTimeout:
        return None
    if failed := page.evaluate("window.failed"):
        raise PeerError(f"its page failed: {failed}")
    return float(page.evaluate("window.drawn")) / 1000


def _answer(route: Route, scripts: Path) -> None:
    path = route.request.url.partition("?")[0]
    name = next((end for end in SCRIPTS if path.endswith(end)), None)
    if name is None:
        route.abort()
    else:
        route.fulfill(path=scripts / name.lstrip("/"), content_type="text/javascript")


def fetch_scripts(folder: Path = PEERS / "npm") -> Path:
    """The folder with what BertViz's page loads, fetched if it is not there. Raises PeerError."""
    for end, (package, member) in SCRIPTS.items():
        if not (folder / end.lstrip("/")).exists():
            folder.mkdir(parents=True, exist_ok=True)
            _unpack(_packed(package, folder), member, folder / end.lstrip("/"))
    return folder


def _packed(package: str, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise PeerError("npm is missing")
    return folder / _output([npm, "pack", "--silent", package], folder).split()[-1]


def _unpack(archive: Path, member: str, target: Path) -> None:
    with tarfile.open(archive) as packed:
        content = packed.extractfile(member)
        assert content is not None, f"{archive.name} has no {member}"
        target.write_bytes(content.read())
    archive.unlink()


def _installed() -> Any:
    """The module, installed at the first call. Its packages come last on the path: ours stay what they are."""
    folder = PEERS / "python"
    stamp, wanted = folder / REQUIREMENTS.name, REQUIREMENTS.read_text("utf-8")
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"--target={folder}"]
        _output([*command, "-r", str(REQUIREMENTS)], ROOT)
        stamp.write_text(wanted, "utf-8")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return import_module("bertviz")


def _output(command: Sequence[str], folder: Path) -> str:
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise PeerError(f"{Path(command[0]).name} failed: {why[-1] if why else ''}") from error
