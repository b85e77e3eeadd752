"""What travels to the browser: every component of every page, in bytes."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from benchmarks.report import Row, Section
from benchmarks.sentences import sentence
from scripts.live import ROOT

PAGES = {"": "stage", "heads": "heads", "compare": "compare", "matrices": "matrices"}
TOKENS = (12, 64, 256)
PRESET = "animal"  # d_model 16, 4 heads
REFERENCE = "__streamlit_arrow_ref__"  # stands in the JSON where an Arrow column belongs

_COLUMNS = {
    "tokens": "d",
    "page": "",
    "component": "",
    "Arrow": ",d",
    "JSON": ",d",
    "all as JSON": ",d",
    "ratio": ".2f",
    "code": ",d",
}


@dataclass(frozen=True)
class Weight:
    """Bytes of one component: its Arrow columns, its JSON, all of these data as JSON lists, and its own code."""

    arrow: int
    meta: int
    as_json: int
    code: int


def run() -> list[Section]:
    """Open every page at every length without a browser and weigh what the server would send."""
    logging.disable(logging.WARNING)  # outside a server Streamlit warns of every access to the session
    try:
        rows: list[Row] = [
            {"tokens": tokens, "page": name, **row}
            for tokens in TOKENS
            for path, name in PAGES.items()
            for row in _page(path, tokens)
        ]
    finally:
        logging.disable(logging.NOTSET)
    return [Section(f"Bytes to the browser (preset {PRESET}, causal mask)", _COLUMNS, rows, _NOTES)]


def _page(path: str, tokens: int) -> list[Row]:
    """One row per kind of component that has data, with the sums over all of them on the page."""
    app = open_page(path, {"preset": PRESET, "text": sentence(tokens), "mask": "causal"})
    weights: dict[str, list[Weight]] = {}
    for element in app.get("bidi_component"):
        weights.setdefault(element.proto.component_name.removeprefix("am_"), []).append(weigh(element.proto))
    return [_row(name, members) for name, members in weights.items() if any(w.as_json for w in members)]


def _row(name: str, members: list[Weight]) -> Row:
    arrow, meta, as_json = (sum(getattr(w, part) for w in members) for part in ("arrow", "meta", "as_json"))
    return {
        "component": name if len(members) == 1 else f"{name} × {len(members)}",
        "Arrow": arrow,
        "JSON": meta,
        "all as JSON": as_json,
        "ratio": (arrow + meta) / as_json,
        "code": sum(w.code for w in members),
    }


def open_page(path: str, query: Mapping[str, str]) -> AppTest:
    """The page at `path` in a new session. Raises LookupError if there is none, RuntimeError if it fails."""
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if path:  # AppTest itself can only switch between pages that are files
        pages = app._registered_pages
        app._page_hash = next((key for key, page in pages.items() if page.get("url_pathname") == path), "")
        if not app._page_hash:
            raise LookupError(f"the app has no page {path!r}")
        app.run()
    if app.exception:
        raise RuntimeError(f"page {path!r}: {app.exception[0].value}")
    return app


def weigh(proto: Any) -> Weight:
    """Weigh one component's message."""
    meta, blobs = _data(proto)
    return Weight(
        arrow=sum(len(blob) for blob in blobs.values()),
        meta=len(meta.encode()),
        as_json=len(json.dumps(as_lists(json.loads(meta), blobs)).encode()) if meta else 0,
        code=sum(len(text.encode()) for text in (proto.html_content, proto.css_content, proto.js_content)),
    )


def _data(proto: Any) -> tuple[str, dict[str, bytes]]:
    kind = proto.WhichOneof("data")
    if kind == "mixed":
        return proto.mixed.json, {key: blob.data for key, blob in proto.mixed.arrow_blobs.items()}
    return (proto.json if kind == "json" else ""), {}


def as_lists(value: Any, blobs: Mapping[str, bytes]) -> Any:
    """The same data with every Arrow column as a list of numbers, each as short as its precision allows."""
    if isinstance(value, dict):
        if REFERENCE in value:
            return _numbers(blobs[value[REFERENCE]])
        return {key: as_lists(part, blobs) for key, part in value.items()}
    return [as_lists(part, blobs) for part in value] if isinstance(value, list) else value


def _numbers(blob: bytes) -> list[float]:
    column = pa.ipc.open_stream(blob).read_all().column(0).to_numpy()
    if column.dtype == np.float32:
        return [float(str(number)) for number in column]
    numbers: list[float] = column.tolist()
    return numbers


_NOTES = (
    "ratio: Arrow and JSON together by the same data as JSON lists alone. code: the component's own HTML, CSS and",
    "JavaScript, which Streamlit sends along whenever the component's data change.",
)
