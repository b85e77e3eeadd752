"""What the user has chosen: the only place that touches session state and query parameters.

One `State` per session is the truth. It is read from the address when the session starts and written to the address
after every run (`write_url`). Widgets are bound to it (`bind`), so they keep their value on every page and in every
language, and an emptied text stays empty.

    text_area(t("sidebar.sentence"), **state.bind("text"))      # a widget that shows and changes settings.text
    state.settings(), state.view(), state.language()            # read
    state.select(step="scores", i=1, j=2), state.edit(edits)    # change
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from app import bindings
from app.bindings import BINDINGS
from app.labs.knobs import KNOBS, Value
from app.languages import DEFAULT_LANGUAGE, preferred_language
from app.model_view import ModelView
from app.unheard import Unheard
from app.url import State, View, decode, encode, tidy, too_long
from components.session import browser_has, peek
from models.edits import Edits
from models.settings import PRESETS, Settings

__all__ = ["State", "View"]

_STORE = "am.store"
_STATE, _IGNORED, _LAST_VALID = "state", "ignored", "last_valid"
_PAGE, _VISIT, _SHOWN = "page", "visit", "shown"


# ---- reading -------------------------------------------------------------------------------------------------------


def current() -> State:
    """The session's state; on the first call it is read from the address."""
    store = _store()
    if _STATE not in store:
        store[_STATE], ignored = decode(reported(), _readers_language())
        store[_IGNORED] = (ignored, store[_STATE].settings)
    found: State = store[_STATE]
    return found


def _store() -> dict[str, Any]:
    """What the app itself keeps for a session: one object, so that a callback can read and change it whole."""
    found: dict[str, Any] | None = peek(_STORE)
    if found is None:
        found = st.session_state[_STORE] = {}
    return found


def settings() -> Settings:
    """What is computed, as chosen; `models.settings.Settings.checked` says whether it can be."""
    return current().settings


def view() -> View:
    """Step, cell and head that are looked at, counted from 0. Row and head exist; other settings may bring back the
    ones that were chosen before."""
    return tidy(current()).view


def language() -> str:
    return current().language


def second_text() -> str:
    """The sentence to compare with: the user's, or else the first one with a word replaced."""
    return bindings.second_text(current())


def ignored_parameters() -> tuple[str, ...]:
    """Parameters of the address that could not be used, until the user changes a setting."""
    current()
    names, at_start = _store()[_IGNORED]
    return names if at_start == settings() else ()


def last_valid() -> Settings:
    """The settings that were last computed; the preset before anything was."""
    found: Settings = _store().get(_LAST_VALID, PRESETS[current().preset])
    return found


# ---- changing ------------------------------------------------------------------------------------------------------


def update(**changes: Any) -> None:
    """Change fields of the settings: `update(seed=7, hidden=(0, 2))`."""
    _set(bindings.with_settings(current(), **changes))


def edit(edits: Edits) -> None:
    """Replace the edits of the matrices."""
    update(edits=edits)


def select(
    step: str | None = None, i: int | None = None, j: int | None = None, head: int | None = None
) -> None:
    """Move to a step, cell or head. Values come from the browser: what is no step or no index is ignored."""
    _set(bindings.with_view(current(), step=step, i=i, j=j, head=head))


def model_view() -> ModelView:
    """What is looked at in a trained model; the page sees to it that layer, head and cell exist."""
    return current().model


def look(**changes: Any) -> None:
    """Move within a trained model: `look(layer=3, head=1)`, `look(i=10, j=2)`."""
    _set(bindings.with_model_view(current(), **changes))


def lab(name: str) -> Any:
    """The value of a laboratory's knob (see `app.labs.knobs`)."""
    return current().knobs.get(name, KNOBS[name].default)


def turn(**knobs: Value) -> None:
    """Turn knobs: `turn(p_base=100.0)`. Values may come from a browser: what a knob cannot be turned to is left out."""
    fitting = {name: value for name, value in knobs.items() if KNOBS[name].fits(value)}
    _set(replace(current(), knobs={**current().knobs, **fitting}))


def choose_preset(name: str) -> None:
    """Start over from a preset: everything that is computed is replaced, the step stays."""
    _set(bindings.with_preset(current(), name))


def reset() -> None:
    """Undo all changes to the preset."""
    choose_preset(current().preset)


def remember_valid(computed: Settings) -> None:
    _store()[_LAST_VALID] = computed


def _set(state: State) -> None:
    _store()[_STATE] = state


def scratch(page: str) -> dict[str, Any]:
    """A page's own memory for what is not worth an address: it lasts as long as the session."""
    found: dict[str, Any] = _store().setdefault(f"scratch.{page}", {})
    return found


def typed_cells(key: str) -> list[tuple[int, int, float | None]]:
    """What was typed into the data editor `key`: row, column (its columns are named "0", "1" …) and number or None."""
    rows = peek(key)["edited_rows"]
    return [(int(row), int(column), value) for row, cells in rows.items() for column, value in cells.items()]


def enter(page: str) -> tuple[bool, bool]:
    """Note which page is drawn now; called once per run. Returns whether it is the session's first page, and whether
    it is another than before."""
    _unheard().forget_heard(reported())
    before = _store().get(_PAGE)
    if before != page:
        _store()[_PAGE] = page
        _store()[_VISIT] = visit() + 1
    return before is None, before != page


def visit() -> int:
    """Counts the changes of page: what a page keeps fixed while it is open holds for one visit."""
    found: int = _store().get(_VISIT, 0)
    return found


def count_run() -> int:
    """The number of this run in its session."""
    _store()["runs"] = _store().get("runs", 0) + 1
    return int(_store()["runs"])


def typed_text(key: str) -> str:
    """What stands in the text field `key` at this moment."""
    return str(peek(key) or "")


# ---- widgets -------------------------------------------------------------------------------------------------------


class Bound(NamedTuple):
    """What a widget of choice (`app.choices`) shows, and who takes what is chosen there."""

    key: str
    value: Any
    take: Callable[[Any], None]


def field(name: str) -> Bound:
    """The part of the state that a widget of choice shows and changes (a key of `BINDINGS`)."""
    return Bound(f"am.{name}", BINDINGS[name].read(current()), lambda value: _write(name, value))


def knob(name: str) -> Bound:
    """As `field`, for a laboratory's knob; a choice that is taken back (None) keeps the value."""
    return Bound(f"am.{name}", lab(name), lambda value: _turn_to(name, value))


def marked(name: str, take: Callable[[Any], None]) -> Bound:
    """A choice that is no part of the state, such as a chip that was clicked: kept for the session, and handed on."""
    marks = scratch("marks")

    def mark(value: Any) -> None:
        marks[name] = value
        take(value)

    return Bound(f"am.{name}", marks.get(name), mark)


def bind(name: str) -> dict[str, Any]:
    """The `key`, `on_change` and `args` of the widget that shows and changes `name` (a key of `BINDINGS`). A widget of
    choice goes through `app.choices`."""
    key = f"am.{name}"
    show_value(key, BINDINGS[name].read(current()))
    return {"key": key, "on_change": _take, "args": (name,)}


def show_value(key: str, value: object) -> None:
    """Give the widget `key` its value. On another page it is another widget to Streamlit, which would begin at its
    default; on the same page an equal value is not written again: that would undo what is being typed. Unless the
    browser did not have the widget: it may have missed the value."""
    here: dict[str, int] = _store().setdefault(_SHOWN, {})
    known = key in st.session_state
    if known and st.session_state[key] != value:
        new = {name: [text] for name, text in query().items()}
        _unheard().remember(key, st.session_state[key], reported(), new)
    if here.get(key) != visit() or not known or st.session_state[key] != value or not browser_has(key):
        st.session_state[key] = value
    here[key] = visit()


def take_arrived(key: str, take: Callable[[Any], None]) -> None:
    """In its callback: hand on what the widget `key` was changed to, if the user has changed it (see `app.unheard`)."""
    value = peek(key)
    if not _unheard().is_old(key, value, reported()):
        take(value)


def _unheard() -> Unheard:
    found: Unheard = _store().setdefault("unheard", Unheard())
    return found


def _take(name: str) -> None:
    """A widget was changed: take its value over."""
    take_arrived(f"am.{name}", lambda value: _write(name, value))


def _write(name: str, value: Any) -> None:
    _set(BINDINGS[name].write(current(), value))


def mark_row(key: str, row: int) -> None:
    """Select a row in the table `key` that is about to be drawn; to be called before it is."""
    wanted = {"selection": {"rows": [row], "columns": [], "cells": []}}
    if (st.session_state.get(key) or {}).get("selection", {}).get("rows") != [row]:
        st.session_state[key] = wanted


# ---- the address ---------------------------------------------------------------------------------------------------


def widget(key: str) -> Any:
    """The value of a widget that is no part of the state, inside its callback."""
    return peek(key)


def bind_knob(name: str) -> dict[str, Any]:
    """As `bind`, for the widget of a laboratory's knob; an emptied widget (None) keeps the value."""
    key = f"am.{name}"
    show_value(key, lab(name))
    return {"key": key, "on_change": _turned, "args": (name,)}


def _turned(name: str) -> None:
    take_arrived(f"am.{name}", lambda value: _turn_to(name, value))


def _turn_to(name: str, value: Value | None) -> None:
    if value is not None:
        turn(**{name: value})


def write_url(wanted: dict[str, str]) -> None:
    """Give the address these query parameters."""
    # a run that starts before the last change of the address has arrived reports the address from before it
    if reported() != {k: [v] for k, v in wanted.items()} or _store().get("written", wanted) != wanted:
        st.query_params.from_dict(wanted)
    _store()["written"] = wanted


def reported() -> dict[str, list[str]]:
    """The query parameters that the browser's address had when it asked for this run."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def follow(parameters: Mapping[str, Sequence[str]]) -> None:
    """Take the state over from another address; the language stays."""
    found, ignored = decode(parameters, language())
    become(replace(found, language=language()))
    _store()[_VISIT] = visit() + 1  # what a page keeps fixed while it is open begins again
    if ignored:
        _store()[_IGNORED] = (ignored, found.settings)


def become(new: State) -> None:
    """Take over a whole state."""
    _set(new)


def query() -> dict[str, str]:
    """The query parameters of the current state, as far as an address can carry them."""
    return encode(current(), _readers_language())


def not_in_url() -> tuple[str, ...]:
    """Which of "text", "text2", "edits" are too long for an address: a copied link will not have them."""
    return too_long(current())


def _readers_language() -> str:
    """The language of the reader's browser, as far as we have it."""
    try:
        return preferred_language(st.context.locale)
    except Exception:  # outside a browser session (tests, scripts) there is no context
        return DEFAULT_LANGUAGE
