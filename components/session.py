"""What Streamlit knows of a session and does not say: two looks into it, the only ones.

`peek` reads the session in a callback without giving way to a newer run.

Every access to `st.session_state` is a point at which Streamlit may break a run off because the browser has asked for
the next one. In a callback that is the end of it: what the browser said is marked as heard and nobody has heard it, so
a choice that is followed closely by another one would be lost. `peek` reads the same value and is no such point.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def peek(key: str) -> Any:
    """What `st.session_state` has under this key, or None."""
    inner = _inner()
    if inner is None:
        return st.session_state.get(key)
    try:
        return inner[key]
    except KeyError:
        return None


def browser_has(key: str) -> bool:
    """Whether the message that asked for this run told the value of the widget `key`, which is about to be drawn.

    It did not if the browser had not put the widget on the page yet: then it has not taken over the value that an
    earlier run gave it, either, and would begin at the widget's default.
    """
    inner = _inner()
    told, names = (getattr(inner, name, None) for name in ("_new_widget_state", "_key_id_mapper"))
    if told is None or names is None:
        return True
    return names.get_id_from_key(key, None) in told.states


def _inner() -> Any:
    """The session behind Streamlit's guard; None outside of a session, or in a Streamlit that keeps it elsewhere."""
    context = get_script_run_ctx(suppress_warning=True)
    return getattr(context.session_state, "_state", None) if context else None
