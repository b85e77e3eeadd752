"""The overview of a model against BertViz's model view of the same attention: bytes, and time until it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from playwright.sync_api import Browser
from playwright.sync_api import Error as BrowserError
from torch import Tensor

from benchmarks import bertviz
from benchmarks.bertviz import ModelView, PeerError
from benchmarks.overview_page import Painted, address, from_head_page, from_nothing, text_of, weigh_grid
from benchmarks.payloads import Weight
from benchmarks.random_models import HEADS, LAYERS, narrow_bert, save_narrow_bert
from benchmarks.report import Row, Section
from benchmarks.timing import Timing
from models.pretrained import ModelTrace, load_model
from scripts.live import chromium, running_app

TOKENS = 128
ROUNDS = 3  # before BertViz's page is drawn, and again after it; one more that is not counted
BYTES_AIM, TIME_AIM = 100, 40
TOLERANCE = 1e-5  # between weights of the same model

_BYTES = {"bytes": "", "overview": ",d", "BertViz": ",d", "1 ÷": ".0f"}
_TIMES = {"seconds": "", "overview": ".2f", "(median)": ".2f", "BertViz": ".1f", "1 ÷": ".0f"}


@dataclass(frozen=True)
class Peer:
    """BertViz's page and the seconds until it was drawn, as far as they can be had here; `why` says what cannot."""

    view: ModelView | None = None
    scripts: Path | None = None
    drawn: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Ours:
    """The message of the grid, and what several rounds of the two ways to it gave."""

    grid: Weight
    from_head: list[Painted]
    from_nothing: list[Painted]


def run() -> list[Section]:
    """Measure both in one browser. Raises AssertionError if the two would draw different numbers.

    BertViz is drawn once, which takes a minute or more, between the rounds of ours.
    """
    with TemporaryDirectory() as folder:
        save_narrow_bert(Path(folder))
        peer = _peer(load_model(folder).trace(text_of(TOKENS, 0)))
        ours, peer = _measure(Path(folder), peer)
    title = f"of a model's overview, {LAYERS} × {HEADS} heads, {TOKENS} tokens, against BertViz's model view"
    return [
        Section(f"Bytes {title}", _BYTES, _byte_rows(ours, peer), (*_BYTE_NOTES, *_missing(peer))),
        Section(f"Time {title}", _TIMES, _time_rows(ours, peer), (*_TIME_NOTES, *_missing(peer))),
    ]


def _measure(folder: Path, peer: Peer) -> tuple[Ours, Peer]:
    grid = weigh_grid(folder, text_of(TOKENS, 0))
    rounds: dict[str, list[Painted]] = {"head": [], "nothing": []}
    with running_app() as url, chromium() as browser:

        def look(turns: range) -> None:
            for turn in turns:
                query = [address(folder, text_of(TOKENS, 2 * turn + way)) for way in (0, 1)]
                rounds["head"].append(from_head_page(browser, url, query[0], LAYERS * HEADS))
                rounds["nothing"].append(from_nothing(browser, url, query[1], LAYERS * HEADS))

        look(range(1 + ROUNDS))
        peer = _drawn(browser, peer)
        look(range(1 + ROUNDS, 1 + 2 * ROUNDS))
    return Ours(grid, rounds["head"][1:], rounds["nothing"][1:]), peer


def _peer(trace: ModelTrace) -> Peer:
    """BertViz's page of the same attention, from the eager model."""
    attentions = eager_attentions(trace)
    compare(trace, attentions)
    try:
        view = bertviz.model_view(attentions, trace.calls[0].key_labels or ())
    except PeerError as error:
        return Peer(why=f"BertViz could not be installed ({error})")
    try:
        return Peer(view, bertviz.fetch_scripts())
    except PeerError as error:
        return Peer(view, why=f"the scripts that BertViz's page loads could not be fetched ({error})")


def eager_attentions(trace: ModelTrace) -> tuple[Tensor, ...]:
    """What `output_attentions=True` gives for the tokens of `trace`: 1 × H × N × N per layer."""
    ids = torch.tensor([trace.tokens["encoder"].ids])
    with torch.inference_mode():
        found: tuple[Tensor, ...] = narrow_bert("eager")(input_ids=ids, output_attentions=True).attentions
    return found


def compare(trace: ModelTrace, attentions: tuple[Tensor, ...]) -> None:
    """Raises AssertionError unless every head has the same weights."""
    for call, weights in zip(trace.calls, attentions, strict=True):
        own = torch.stack([call.weights(head) for head in range(call.heads)])
        torch.testing.assert_close(own, weights[0], rtol=0, atol=TOLERANCE)


def _drawn(browser: Browser, peer: Peer) -> Peer:
    if peer.view is None or peer.scripts is None:
        return peer
    try:
        seconds = bertviz.drawn(browser, peer.view, peer.scripts)
    except (PeerError, BrowserError) as error:
        return Peer(
            peer.view, why=f"the browser could not draw BertViz's page ({str(error).splitlines()[0]})"
        )
    why = "" if seconds else f"BertViz's page was not drawn within {bertviz.LIMIT:.0f} seconds"
    return Peer(peer.view, peer.scripts, seconds, why)


def _byte_rows(ours: Ours, peer: Peer) -> list[Row]:
    theirs = peer.view.size if peer.view else None
    grid = ours.grid.arrow + ours.grid.meta
    return [
        _byte_row("the grid with all heads", grid, theirs),
        _byte_row("… and its code", grid + ours.grid.code, theirs),
        _byte_row("all that the click brings", max(turn.received for turn in ours.from_head), theirs),
    ]


def _time_rows(ours: Ours, peer: Peer) -> list[Row]:
    built = peer.view.seconds + peer.drawn if peer.view and peer.drawn else None
    ways = {
        "attention there → painted": (ours.from_head, peer.drawn),
        "… BertViz with writing its page": (ours.from_head, built),
        "text → forward pass → painted": (ours.from_nothing, built),
    }
    return [_time_row(label, turns, theirs) for label, (turns, theirs) in ways.items()]


def _byte_row(label: str, ours: int, theirs: int | None) -> Row:
    return {"bytes": label, "overview": ours, "BertViz": theirs, "1 ÷": theirs / ours if theirs else None}


def _time_row(label: str, turns: list[Painted], theirs: float | None) -> Row:
    found = Timing.of([turn.seconds for turn in turns])
    return {
        "seconds": label,
        "overview": found.least,
        "(median)": found.median,
        "BertViz": theirs,
        "1 ÷": theirs / found.median if theirs else None,
    }


def _missing(peer: Peer) -> tuple[str, ...]:
    return (f"Not complete: {peer.why}.",) if peer.why else ()


_BYTE_NOTES = (
    f"Aim: 1/{BYTES_AIM}. BertViz: its HTML, without the scripts it loads. Ours: one byte per cell, at most 64 × 64 of",
    "them per head, block maxima above that; the click also brings the chosen head's exact weights and all other parts",
    "of the page.",
)
_TIME_NOTES = (
    f"Aim: 1/{TIME_AIM}. From the click, or the start of BertViz's page, to the end of the frame that shows all heads,",
    f"in one browser. Ours: {2 * ROUNDS} rounds, each with a text that nothing is kept of, half before BertViz's page",
    "and half after it; the ratio is that of the median. BertViz is drawn once; its forward pass is not counted.",
)
