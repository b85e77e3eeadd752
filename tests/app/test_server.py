"""The server that is warm before the first reader comes."""

from __future__ import annotations

import subprocess
import sys

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.server import HEAVY, app
from models import collector
from scripts.live import ROOT


def test_it_serves_the_apps_entry() -> None:
    assert app.script_path.name == "main.py"


def test_what_is_heavy_is_imported_and_nothing_of_streamlit_with_it() -> None:
    """The warm-up names modules that exist and really are what takes the time."""
    code = "; ".join(
        [
            "import importlib, sys",
            f"[importlib.import_module(name) for name in {HEAVY!r}]",
            "print(*(name in sys.modules for name in ('torch', 'transformers', 'streamlit')))",
        ]
    )
    assert _said(code) == ["True", "True", "False"]


def test_a_warm_server_does_not_search_what_it_imported_for_garbage() -> None:
    code = "import gc; from app.server import import_all; import_all(); "
    frozen, searched = map(int, _said(code + "print(gc.get_freeze_count(), len(gc.get_objects()))"))
    assert searched < frozen / 50


def test_nor_does_the_entry_alone_and_only_the_first_run_freezes(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    monkeypatch.setattr(collector, "freeze", lambda: times.append(1))
    at = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    st.cache_resource.clear()
    for _ in range(3):
        at.run()
    assert not at.exception
    assert len(times) == 1


def _said(code: str) -> list[str]:
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.split()
