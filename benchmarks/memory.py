"""Memory of the server per open session, read from Linux's /proc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser

from benchmarks.report import Row, Section
from benchmarks.sentences import sentence
from scripts.live import LOAD_LIMIT, chromium, open_page, running_app

SESSIONS = 5  # that are opened after the first two
TOKENS = 64
MEGABYTE = 2**20
PEER = "benchmarks/peer_page.py"

_COLUMNS = {
    "sessions": "",
    "server before": ".1f",
    "server after": ".1f",
    "per session": ".2f",
    "ratio": ".2f",
}


def run() -> list[Section]:
    """Open sessions one after the other and read the server's memory at rest. Nothing to report without /proc."""
    title = f"Memory of the server (MB, {TOKENS} tokens, {SESSIONS} more sessions each time)"
    if not Path("/proc/self/statm").exists():
        return [Section(title, _COLUMNS, notes=("This system has no /proc to read it from.",))]
    address = {"preset": "animal", "text": sentence(TOKENS)}
    with chromium() as browser:
        with running_app(PEER) as url:
            peer = _grow(browser, server_of(url), "Plotly page", [f"{url}/?n={TOKENS}"] * (SESSIONS + 2))
        with running_app() as url:
            server = server_of(url)
            same = [f"{url}/?{urlencode(address)}"] * (SESSIONS + 2)
            shared = _grow(browser, server, "the same sentence", same)
            own = [f"{url}/?{urlencode({**address, 'seed': seed})}" for seed in range(SESSIONS + 2)]
            separate = _grow(browser, server, "each its own numbers", own)
    rows: list[Row] = [_row(growth, peer) for growth in (shared, separate, peer)]
    return [Section(title, _COLUMNS, rows, _NOTES)]


@dataclass(frozen=True)
class Growth:
    """Megabytes of a server before and after `SESSIONS` more sessions."""

    sessions: str
    before: float
    after: float

    @property
    def each(self) -> float:
        return (self.after - self.before) / SESSIONS


def _row(growth: Growth, peer: Growth) -> Row:
    return {
        "sessions": growth.sessions,
        "server before": growth.before,
        "server after": growth.after,
        "per session": growth.each,
        "ratio": growth.each / peer.each if peer.each > 0 else None,
    }


def _grow(browser: Browser, server: int, name: str, addresses: Sequence[str]) -> Growth:
    """Open all addresses. The first two sessions pay for what all share, such as imports; they are not counted."""
    before = 0.0
    for number, address in enumerate(addresses):
        if number == 2:
            before = resident(server)
        _open(browser, address)
    return Growth(name, before, resident(server))


def _open(browser: Browser, address: str) -> None:
    """A session that stays open until its server or the browser ends."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(LOAD_LIMIT)
    open_page(page, address)
    page.locator(".stage .picture canvas, .gtitle").first.wait_for()


def server_of(url: str) -> int:
    """The process, started from this one, that serves `url`. Raises LookupError if there is none."""
    port = f"--server.port={urlsplit(url).port}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if port in (folder / "cmdline").read_bytes().split(b"\0") and _parent(folder) == os.getpid():
                return int(folder.name)
        except OSError:  # it has just ended
            continue
    raise LookupError(f"no server of this process at {url}")


def _parent(folder: Path) -> int:
    status = (folder / "status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def resident(process: int) -> float:
    """Memory of a process that is in use, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


_NOTES = (
    "Sessions with the same settings share one trace. The traces of sessions with numbers of their own stay in a cache",
    "of limited size, so this does not grow without end. The ratio is to a page with one Plotly heatmap.",
)
