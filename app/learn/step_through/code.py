"""The code of a step: the function that computed it, and the same with the user's own numbers, ready to run."""

from __future__ import annotations

import streamlit as st

from app.i18n import t
from components.save_file import save_file
from models.snippets import snippet, source, source_file
from models.trace import Trace

LONGEST_SHOWN = 12_000  # characters; a longer snippet is mostly packed numbers, and is downloaded instead


def show_code(trace: Trace, step: str, head: int) -> None:
    """Both, folded away below the stage."""
    folded = st.expander(t("step_through.code"), icon=":material/code:", key="am.code", on_change="rerun")
    if not folded.open:  # a script for large matrices takes a while to write
        return
    with folded:
        ran, own = st.tabs([t("step_through.code_ran"), t("step_through.code_snippet")])
        with ran:
            st.caption(t("step_through.code_ran_help", file=source_file(step)))
            st.code(source(step), language="python")
        with own:
            _show_snippet(trace, step, head)


def _show_snippet(trace: Trace, step: str, head: int) -> None:
    text = snippet(trace, step, head=head)
    st.caption(t("step_through.code_snippet_help", step=t(f"stage.names.{step}")))
    if len(text) <= LONGEST_SHOWN:
        st.code(text, language="python")
    else:
        st.caption(t("step_through.code_too_long", count=len(text)))
    save_file(
        t("step_through.code_download"),
        text,
        name=f"attention_{step}.py",
        mime="text/x-python",
        key="am.snippet",
    )
