"""The server with its engine warm: PyTorch is imported when the server starts, not when the first reader arrives.

    streamlit run app/server.py        # what `make run` and the container start

`streamlit run app/main.py` works as well and imports it at the first visit.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread

import streamlit as st

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = (ROOT / "__init__.py").exists()  # below the package attention_microscope, which is on the path
if not INSTALLED and str(ROOT) not in sys.path:  # streamlit puts app/ on the path, not the root
    sys.path.insert(0, str(ROOT))

from models import collector  # noqa: E402

# PyTorch, transformers, and what editors and charts need
ENGINE = collector.__package__
HEAVY = (f"{ENGINE}.build", f"{ENGINE}.pretrained", "pandas", "plotly.graph_objs")


def import_all() -> None:
    for name in HEAVY:
        import_module(name)
    collector.freeze()


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Beside the server, which answers meanwhile; a visit that comes before waits for the same import."""
    Thread(target=import_all, name="warm-up", daemon=True).start()
    yield


app = st.App(Path(__file__).with_name("main.py"), lifespan=lifespan)
