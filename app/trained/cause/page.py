"""Is it what it looks at? One head is changed while the model runs, and its output compared with the one before."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.i18n import t
from app.notice import error_notice
from app.trained.cause.answer import sentence
from app.trained.cause.bars import show_effect, show_ledger
from app.trained.cause.cause import Seen, seen
from app.trained.cause.controls import (
    show_besides,
    show_head,
    show_matrix,
    show_output,
    show_plain,
    show_what,
)
from app.trained.cause.examples import begin_with_an_example, show_examples
from app.trained.cause.scan import show_scan
from app.trained.facts import show_notes
from app.trained.headline import title
from app.trained.opening import Opened, opened
from app.trained.stack import Stack, current_stack
from models.errors import InputError

CSS = Path(__file__).with_name("cause.css")


def show() -> None:
    """Draw the page."""
    st.html(CSS)
    begin_with_an_example()
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    with st.container(key="model_cause", gap="small"):
        show_notes(now)
        title(t("cause.title"), t("cause.lead"))
        show_examples()
        found = _seen(now, stack)
        left, right = st.columns([1, 1.1], gap="medium")
        with left, st.container(gap="small"):
            show_head(now, stack)
            if found is None:
                show_plain(now, stack)
                return
            show_matrix(now, stack)
            show_besides(stack)
        with right, st.container(gap="small"):
            show_what()
            st.html(f'<p class="am-answer">{sentence(found)}</p>')
            show_effect(found)
            show_ledger(found)
            show_output(found)
        show_scan(found)


def _seen(now: Opened, stack: Stack) -> Seen | None:
    """What comes of the change. Where none can be made or compared, that is said here, above everything that could be
    set for it: there is then nothing to set."""
    try:
        return seen(now, stack)
    except InputError as error:
        error_notice(error, "cause")
        return None
