"""Does anybody wait for anybody? The server alone, asked by visitors without a browser, beside a trivial page."""

from __future__ import annotations

import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from statistics import median, quantiles

import psutil

from benchmarks.memory import server_of
from benchmarks.report import Row, Section
from benchmarks.visitor import Visitor
from models.pretrained.catalogue import READY_MODELS
from scripts.live import running_app

TRIVIAL = "benchmarks/trivial_page.py"
WORDS = ("tea", "milk", "juice", "coffee", "water", "soup", "bread", "rice", "salt", "honey")
RERUNS = 40  # of one visitor, in two halves around the trivial page's
VISITORS, EDITS = 20, 10
QUICK = 60  # edits of one visitor who does not wait
ASKED = 0.05  # seconds between two questions after the server's health

Pages = dict[str, tuple[str, str, str]]  # name: server, page, query


def run() -> list[Section]:
    with running_app() as app, running_app(TRIVIAL) as trivial:
        pages: Pages = {
            "trivial page": (trivial, "", ""),
            "step through": (app, "", "preset=animal"),
        }
        if READY_MODELS["minilm"].ready:
            pages["overview, MiniLM"] = (app, "overview", "model=minilm")
        return [
            Section("Server: one rerun (processor's ms)", _CPU, cpu_rows(pages), _CPU_NOTES),
            Section(_CROWD_TITLE, _CROWD, crowd_rows(pages), _CROWD_NOTES),
            Section(
                f"Server: health during {QUICK} quick edits (s late)",
                _HEALTH,
                health_rows(pages),
                _HEALTH_NOTES,
            ),
        ]


def sentence(number: int) -> str:
    """A text that no visitor had before."""
    return " ".join(["I love", WORDS[number % len(WORDS)], f"and {number}"])


def cpu_rows(pages: Pages) -> list[Row]:
    """Processor's time of a rerun, all pages in turns."""
    taken = dict.fromkeys(pages, 0.0)
    with ExitStack() as stack:
        visitors = {name: stack.enter_context(Visitor(*page)) for name, page in pages.items()}
        servers = {name: psutil.Process(server_of(page[0])) for name, page in pages.items()}
        for number in range(RERUNS + 1):
            for name, visitor in visitors.items():
                before = used(servers[name])
                visitor.edit(sentence(number))
                if number:  # the first pays for imports
                    taken[name] += used(servers[name]) - before
    least = taken["trivial page"]
    return [
        {"page": name, "ms": 1000 * seconds / RERUNS, "ratio": seconds / least}
        for name, seconds in taken.items()
    ]


def used(process: psutil.Process) -> float:
    """Seconds of the processor that a process has had."""
    times = process.cpu_times()
    return float(times.user + times.system)


def crowd_rows(pages: Pages) -> list[Row]:
    """Many visitors at once, each editing as soon as it has been answered."""
    taken = {name: crowd(page) for name, page in pages.items()}
    few, most = spread(taken["trivial page"])
    rows: list[Row] = []
    for name, seconds in taken.items():
        middle, slow = spread(seconds)
        rows.append(
            {"page": name, "median": middle, "p95": slow, "ratio": middle / few, "ratio of p95": slow / most}
        )
    return rows


def crowd(page: tuple[str, str, str]) -> list[float]:
    """The seconds of every edit of all visitors."""
    with ThreadPoolExecutor(VISITORS) as threads:
        visitors = list(threads.map(lambda _: Visitor(*page), range(VISITORS)))
        try:
            lists = list(threads.map(_edits, visitors, range(VISITORS)))
        finally:
            for visitor in visitors:
                visitor.close()
    return [seconds for several in lists for seconds in several]


def _edits(visitor: Visitor, number: int) -> list[float]:
    return [visitor.edit(sentence(EDITS * number + edit)) for edit in range(EDITS)]


def spread(seconds: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    return median(seconds), quantiles(seconds, n=20, method="inclusive")[-1]


def health_rows(pages: Pages) -> list[Row]:
    """How late the server's health was at worst, and how long until the server had said its last word."""
    rows: list[Row] = []
    for name, page in pages.items():
        with Visitor(*page) as visitor:
            late: list[float] = []
            begun = time.perf_counter()
            with asked(partial(answer, page[0]), late):
                for number in range(QUICK):
                    visitor.send(sentence(1000 + number))
                end = visitor.wait_for_quiet()
        rows.append({"page": name, "worst": max(late), "questions": len(late), "last word": end - begun})
    return rows


@contextmanager
def asked(ask: Callable[[], object], seconds: list[float], pause: float = ASKED) -> Iterator[None]:
    """Ask again and again in a thread; `seconds` gets what each answer took."""
    end = threading.Event()

    def go_on() -> None:
        while True:
            begun = time.perf_counter()
            ask()
            seconds.append(time.perf_counter() - begun)
            if end.wait(pause):
                return

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def answer(url: str) -> None:
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=120) as response:
        if response.read() != b"ok":
            raise RuntimeError("the server is not healthy")


_CPU = {"page": "", "ms": ".1f", "ratio": ".2f"}
_CROWD = {"page": "", "median": ".2f", "p95": ".2f", "ratio": ".2f", "ratio of p95": ".2f"}
_HEALTH = {"page": "", "worst": ".2f", "questions": "d", "last word": ".2f"}
_CROWD_TITLE = f"Server: {VISITORS} visitors × {EDITS} edits at once (seconds until the script has ended)"
_CPU_NOTES = (
    f"{RERUNS} edits of one visitor, in turns with the others; every text is new. The aim is a ratio of 1.",
)
_CROWD_NOTES = ("Visitors without a browser, each with texts of its own. Ratios are to the trivial page.",)
_HEALTH_NOTES = ("One visitor types and does not wait. The aim is never more than 0.5 s.",)
