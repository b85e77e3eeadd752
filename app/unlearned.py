"""The line that stands wherever attention of the from-scratch weights is shown: the arithmetic is real, the pattern was
not learned. And the way to the same sentence in a head that was trained."""

from __future__ import annotations

from dataclasses import asdict, replace

import regex
import streamlit as st

from app import navigation, state
from app.i18n import t
from app.model_view import EXAMPLES, READS, ModelView
from app.session import Computed, computed
from models.origins import weight_origin

TOGETHER = (
    "The animal didn't cross the street because it"  # up to here the example's cell lies on the same words
)
_HAN = regex.compile(r"\p{Han}")
_FOREIGN = regex.compile(r"[\p{L}--\p{Latin}]", regex.VERSION1)


def show() -> None:
    """Draw the line for the settings of the session."""
    now = computed()
    view = trained(now.settings.text)
    label = (
        "same" if view is not None else f"none_{language(now.settings.text)}"
    )  # none: an example in its place
    with st.container(key="unlearned", horizontal=True, vertical_alignment="center"):
        st.caption(statement(now))
        if st.button(
            t(f"unlearned.{label}"),
            icon=":material/hub:",
            type="tertiary",
            key="am.trained_head",
            on_click=_look,
            args=(view or EXAMPLES["minilm"],),
        ):
            navigation.go("model_head")


def statement(now: Computed) -> str:
    """Why the pattern means nothing yet, true of these weights."""
    assert now.trace.tokens is not None
    return t(f"unlearned.{weight_origin(now.settings, now.trace.tokens)}")


def language(text: str) -> str:
    """ "zh" for a text with Chinese characters, "other" for one with letters of another script, else "en"."""
    if _HAN.search(text):
        return "zh"
    return "other" if _FOREIGN.search(text) else "en"


def trained(text: str) -> ModelView | None:
    """This text in the example's head of the first ready model that reads its language; None if none does."""
    for model, languages in READS.items():
        if language(text) in languages:
            found = replace(EXAMPLES[model], text=text)
            return found if text.startswith(TOGETHER) else replace(found, i=1, j=1)
    return None


def _look(view: ModelView) -> None:
    state.look(**asdict(view))
