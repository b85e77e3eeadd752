"""The pages of the app, in groups. A page is a folder in its group's: `page.py` there has a function `show()`, and is
imported when the page is first opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, NoReturn

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import address
from app.i18n import t
from models import collector

Subject = Literal["sentence", "model", "training"]


@dataclass(frozen=True)
class Entry:
    """A page: `name` is its key in the locale table `pages`, `path` its address and its folder in the group's."""

    name: str
    path: str
    icon: str


GROUPS: dict[str, tuple[Entry, ...]] = {
    "learn": (
        Entry("step_through", "", ":material/stairs_2:"),
        Entry("heads", "heads", ":material/grid_view:"),
        Entry("compare", "compare", ":material/compare_arrows:"),
        Entry("matrices", "matrices", ":material/edit_note:"),
        Entry("training", "training", ":material/model_training:"),
    ),
    "labs": (
        Entry("lab_position", "position", ":material/pin_drop:"),
        Entry("lab_order", "order", ":material/shuffle:"),
        Entry("lab_masks", "masks", ":material/visibility_off:"),
        Entry("lab_scale", "scale", ":material/compress:"),
        Entry("lab_geometry", "geometry", ":material/square_foot:"),
        Entry("lab_cost", "cost", ":material/speed:"),
    ),
    "trained": (
        Entry("model_overview", "overview", ":material/apps:"),
        Entry("model_head", "head", ":material/hub:"),
        Entry("model_cell", "cell", ":material/calculate:"),
        Entry("model_roles", "roles", ":material/badge:"),
        Entry("model_translate", "translate", ":material/translate:"),
        Entry("model_grow", "grow", ":material/edit:"),
        Entry("model_cause", "cause", ":material/toggle_off:"),
        Entry("model_steps", "steps", ":material/stairs:"),
    ),
}


def subject(path: str) -> Subject:
    """What the page at this address is about: the sidebar has the controls for that."""
    if path == "training":
        return "training"
    return "model" if any(entry.path == path for entry in GROUPS["trained"]) else "sentence"


def prepare(subject: Subject) -> None:
    """Import what pages about models need, whole, before parts of it. While the server warms up another thread is
    importing the same package; two threads that enter it at different modules would wait for each other."""
    if subject == "sentence":
        return
    package = f"{collector.__package__}.pretrained"
    known = package in sys.modules
    import_module(package)
    if not known:
        collector.freeze()


def entry(name: str) -> Entry:
    """The page of this name."""
    return next(entry for entries in GROUPS.values() for entry in entries if entry.name == name)


def choose() -> StreamlitPage:
    """Register all pages, draw the links to them in the sidebar and return the one that the address asks for."""
    pages = {group: [_page(entry) for entry in entries] for group, entries in GROUPS.items() if entries}
    chosen = st.navigation(pages, position="hidden")
    address.enter(chosen.url_path)
    query = address.link()
    with st.sidebar, st.container(key="brand", gap=None):
        st.html(f"<strong>{t('app.title')}</strong>")
        for group, members in pages.items():
            st.html(f"<small>{t(f'pages.{group}')}</small>")
            for member in members:
                st.page_link(member, query_params=query)
    return chosen


def go(name: str) -> NoReturn:
    """Open another page now, as a link to it would."""
    st.switch_page(page(name), query_params=address.link())


def link(name: str, label: str, icon: str) -> None:
    """Draw a link to another page that keeps everything that was chosen."""
    st.page_link(page(name), label=label, icon=icon, query_params=address.link())


def page(name: str) -> StreamlitPage:
    """The page of a view; `go` and `link` lead there."""
    return next(_page(entry) for entries in GROUPS.values() for entry in entries if entry.name == name)


def _page(entry: Entry) -> StreamlitPage:
    return st.Page(
        _runner(entry),
        title=t(f"pages.{entry.name}"),
        icon=entry.icon,
        url_path=entry.path or None,
        default=not entry.path,
    )


def module(entry: Entry) -> str:
    """The name of the module that draws a page."""
    group = next(group for group, entries in GROUPS.items() if entry in entries)
    return f"{__package__}.{group}.{entry.path or entry.name}.page"


def _runner(entry: Entry) -> Callable[[], None]:
    def run() -> None:
        import_module(module(entry)).show()

    run.__name__ = entry.name  # Streamlit tells pages apart by the function's name
    return run
