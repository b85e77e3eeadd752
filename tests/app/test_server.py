"""The server that is warm before the first reader comes."""

from __future__ import annotations

import subprocess
import sys

from app.server import HEAVY, app
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
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "True", "False"]
