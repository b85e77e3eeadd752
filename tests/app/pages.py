"""The app without a browser: any page, any address."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

# Streamlit warns about every session-state access outside a server, also in the pure tests
os.environ.setdefault("STREAMLIT_LOGGER_LEVEL", "error")

from streamlit.testing.v1 import AppTest

from app import navigation
from scripts.live import ROOT

PATHS = ("", "heads", "compare", "matrices", "training")
LAB_PATHS = tuple(entry.path for entry in navigation.GROUPS["labs"])  # the laboratories
REAL_PATHS = ("overview", "head", "cell")  # pages of trained models


def open_page(path: str = "", query: Mapping[str, str | Sequence[str]] | None = None) -> AppTest:
    """A new session on the page at `path`, opened with these query parameters."""
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=120)
    for name, value in (query or {}).items():
        app.query_params[name] = value if isinstance(value, str) else list(value)
    app.run()
    return go_to(app, path) if path else app


def go_to(app: AppTest, path: str) -> AppTest:
    """Another page of the same session; AppTest itself can only switch between pages that are files."""
    pages = app._registered_pages
    app._page_hash = next(key for key, page in pages.items() if (page.get("url_pathname") or "") == path)
    return app.run()


def texts(app: AppTest) -> list[str]:
    """Everything that is written on the page by the app itself, labels included."""
    kinds = (
        "title",
        "subheader",
        "caption",
        "text",
        "text_area",
        "number_input",
        "toggle",
        "button",
        "selectbox",
    )
    found = []
    for kind in kinds:
        for element in app.get(kind):
            found += [
                str(getattr(element, name)) for name in ("label", "value") if getattr(element, name, None)
            ]
    return found


def sentence(app: AppTest) -> str:
    """What stands in the sentence field."""
    return str(app.text_area(key="am.text").value)


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Choose `value` in the segmented control or the list `key`."""
    return choice(app, key).set_value(value).run()


def choice(app: AppTest, key: str) -> Any:
    """The widget of choice `key`: what follows in its own key says which labels it has, see `app.choices`."""
    found = [widget for widget in choices(app) if str(widget.key).rpartition(".")[0] == key]
    assert len(found) == 1, (key, [widget.key for widget in choices(app)])
    return found[0]


def choices(app: AppTest) -> list[Any]:
    return [
        *app.get("button_group"),
        *app.get("selectbox"),
        *app.get("select_slider"),
        *app.get("multiselect"),
    ]


def healthy(app: AppTest) -> bool:
    """Whether the page was drawn to its end: no exception and not the sentence that stands in for one."""
    failed = ("Something went wrong", "出了问题")
    return not app.exception and not any(mark in text.value for text in app.text for mark in failed)
