"""A sentence to the user that may carry the user's own text: it is shown as text, never as Markdown or HTML."""

from __future__ import annotations

import streamlit as st

from app.i18n import error_text
from models.errors import InputError


def notice(text: str, key: str, *, problem: bool = False) -> None:
    """Show `text` in a quiet box, with a red edge if it is a `problem`. `key` must be unique on the page."""
    with st.container(key=f"{'problem' if problem else 'notice'}_{key}"):
        st.text(text)


def error_notice(error: InputError, key: str) -> None:
    """Show what was expected, what was received and what to do."""
    notice(error_text(error), key, problem=True)
