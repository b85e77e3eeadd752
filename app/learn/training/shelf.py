"""Trainings outlive the tab that began them for ten minutes, so that a reload finds them again.

What a session has trained is a `Shelf` in a register of the process, under a secret that only the tab keeps (in its
storage, never in the address). A tab that was loaded again is a new session; it brings the secret and takes the shelf
over. A shelf whose tab does not come back is cleared: memory and processor are somebody else's then.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import state

KEEP = 600.0  # seconds that a shelf waits for its tab
WAITING = 8  # shelves that wait at most; the one that has waited longest goes first
_SWEEP = 20.0  # seconds between looks at who is still there
_SECRET = re.compile(r"[0-9a-f]{64}")


@dataclass(eq=False)
class Shelf:
    """What one tab has trained: `content` is what `app.learn.training.runs` keeps of a session."""

    secret: str
    session: str
    content: dict[str, Any] = field(default_factory=dict)
    seen: float = 0.0

    def clear(self) -> None:
        """End what still trains and let go of everything."""
        for run in self.content.get("runs", {}).values():
            run.stop()
        self.content.clear()


class Register:
    """The shelves of all tabs. `present` says whether a session has its tab, `clock` gives seconds."""

    def __init__(self, present: Callable[[str], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._present, self._clock = present, clock
        self._shelves: dict[str, Shelf] = {}
        self._lock = threading.Lock()

    def new(self, session: str) -> Shelf:
        """An empty shelf for this session."""
        with self._lock:
            shelf = Shelf(secrets.token_hex(32), session, seen=self._clock())
            self._shelves[shelf.secret] = shelf
            return shelf

    def claim(self, secret: object, session: str) -> Shelf | None:
        """The shelf with this secret, taken over by a session; None if there is none, or its tab is still there (a
        copy of a tab has the same secret)."""
        self.sweep()
        with self._lock:
            shelf = (
                self._shelves.get(secret) if isinstance(secret, str) and _SECRET.fullmatch(secret) else None
            )
            if shelf is None or (shelf.session != session and self._present(shelf.session)):
                return None
            shelf.session, shelf.seen = session, self._clock()
            return shelf

    def sweep(self) -> None:
        """Clear what has waited for too long, and the longest of too many."""
        with self._lock:
            now = self._clock()
            for shelf in self._shelves.values():
                if self._present(shelf.session):
                    shelf.seen = now
            waiting = sorted((s for s in self._shelves.values() if s.seen < now), key=lambda s: s.seen)
            gone = [s for at, s in enumerate(waiting) if now - s.seen > KEEP or at < len(waiting) - WAITING]
            for shelf in gone:
                del self._shelves[shelf.secret]
        for shelf in gone:
            shelf.clear()


def current() -> Shelf:
    """This session's shelf; it is made when it is first asked for."""
    mine = _mine()
    if "shelf" not in mine:
        mine["shelf"] = _register().new(_session())
    shelf: Shelf = mine["shelf"]
    return shelf


def content() -> dict[str, Any]:
    """What this session keeps of its trainings."""
    return current().content


def token() -> str | None:
    """The secret of this session's shelf, for its tab alone; None while there is nothing on it."""
    shelf: Shelf | None = _mine().get("shelf")
    return (
        shelf.secret
        if shelf is not None and (shelf.content.get("runs") or shelf.content.get("taken"))
        else None
    )


def claim(secret: object) -> None:
    """A tab was loaded again and brings its secret: its trainings are this session's now."""
    if token() is None and (found := _register().claim(secret, _session())) is not None:
        _mine()["shelf"] = found


def _mine() -> dict[str, Any]:
    return state.scratch("training_shelf")


def _session() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def present(session: str) -> bool:
    """Whether this session's tab is there; outside a server it always is."""
    return not runtime.exists() or bool(runtime.get_instance().is_active_session(session))


@st.cache_resource(show_spinner=False)
def _register() -> Register:
    """The process's register, with a thread that clears what nobody comes back for."""
    register = Register(lambda session: present(session))
    threading.Thread(target=_sweep, args=(register,), name="training shelves", daemon=True).start()
    return register


def _sweep(register: Register) -> None:
    pause = threading.Event()
    while not pause.wait(_SWEEP):
        register.sweep()
