"""A control stands beside a page exactly if it changes something on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.used_controls import CONTROLS, used_controls
from tests.app.pages import open_page

BASE = {"preset": "animal", "heads": "2"}
CHANGES = {
    "text": {"text": "The cat sat on the mat and slept"}, "hidden": {"hide": "1"}, "d_model": {"d": "32"},
    "heads": {"heads": "4"}, "position": {"pos": "none"}, "mask": {"mask": "causal"}, "head": {"head": "1"},
    "cut": {"cut": "characters"}, "d_k": {"dk": "5"}, "d_v": {"dv": "5"}, "seed": {"seed": "9"},
    "temperature": {"temp": "2"},
}  # fmt: skip
# For each page the ways to look that together use every control which the page uses.
WAYS: dict[str, tuple[dict[str, str], ...]] = {
    "": ({},),
    "heads": ({},),
    "compare": ({},),
    "matrices": ({}, {"matrix": "w_v"}),
    "masks": ({},),
    "position": ({"p_view": "sentence"}, {"p_view": "similarity"}, {"p_scheme": "rotary"}),
    "order": ({"o_task": "replace"}, {"o_scheme": "none"}),
    "scale": ({},),
    "geometry": ({"g_source": "pair"}, {"g_source": "keys"}),
    "cost": ({},),
}
_ID = re.compile(rb"\$\$ID-[0-9a-f]{32}[^\x00-\x1f]*")


def elements(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from elements(child)


def drawn(path: str, query: dict[str, str]) -> list[bytes]:
    """Everything in the page's main part but links, whose addresses have all settings in them."""
    app: AppTest = open_page(path, query)
    assert not app.exception
    found = (
        e.proto for e in elements(app.main) if getattr(e, "type", "") != "page_link" and hasattr(e, "proto")
    )
    return [
        _ID.sub(b"", p.SerializeToString(deterministic=True))
        for p in found
        if hasattr(p, "SerializeToString")
    ]


@pytest.mark.parametrize("path", WAYS)
def test_what_is_shown_does_something_and_the_rest_does_nothing(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = set()
    for way in WAYS[path]:
        plain = drawn(path, {**BASE, **way})
        moved |= {name for name, change in CHANGES.items() if drawn(path, {**BASE, **way, **change}) != plain}
    monkeypatch.setattr("app.used_controls.state", SimpleNamespace(lab=lambda _: "pair"))
    assert moved == used_controls(path)


def test_arrows_drawn_by_hand_use_no_sentence() -> None:
    plain = drawn("geometry", {**BASE, "g_source": "free"})
    assert all(
        drawn("geometry", {**BASE, "g_source": "free", **change}) == plain for change in CHANGES.values()
    )


@pytest.mark.parametrize(
    ("path", "query", "shown"),
    [
        ("", {}, {"am.text", "am.d_model", "am.sinusoidal", "am.seed"}),
        ("cost", {}, set()),
        ("geometry", {"g_source": "free"}, set()),
        ("geometry", {"g_source": "pair"}, {"am.text", "am.d_model", "am.sinusoidal", "am.seed"}),
        ("order", {}, {"am.text", "am.d_model", "am.seed"}),
    ],
)
def test_the_sidebar_follows(path: str, query: dict[str, str], shown: set[str]) -> None:
    app = open_page(path, {"preset": "animal", **query})
    every = {"am.text", "am.d_model", "am.sinusoidal", "am.seed"}
    keys = {e.key for kind in (app.text_area, app.number_input, app.toggle) for e in kind}
    assert keys & every == shown


def test_every_control_has_a_change() -> None:
    assert set(CHANGES) == CONTROLS
