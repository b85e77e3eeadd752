"""The grown text as a text that the other pages can read, and the way there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import navigation, state
from app.i18n import t
from app.trained.grow.grow import Growing
from app.trained.stack import Stack
from models.pretrained.own import OwnModel
from models.training.tasks.base import END


def show_way(now: Growing, stack: Stack) -> None:
    """A button that opens the chosen head on the whole text, as prompt and continuation in one."""
    clicked = st.button(
        t("trained.open_head"),
        icon=":material/zoom_in:",
        type="tertiary",
        key="am.grow_open_head",
        on_click=lambda: state.look(**whole_text(now), i=stack.i, j=stack.j),
    )
    if clicked:
        navigation.go("model_head")


def whole_text(now: Growing) -> dict[str, str]:
    """What the pages of trained models have to read to see the grown text: a longer `text`, or the same one and a
    `target`. Nothing is changed while nothing is written, or where the model goes on by itself when it is asked."""
    draft, model = now.draft, now.model
    if not draft.written:
        return {}
    if draft.prompt.source is not None:
        return {"target": _spelt(now, draft.written)}
    if isinstance(model, OwnModel) and END in model.task.symbols:
        return {}
    return {"text": _spelt(now, [*draft.prompt.ids, *draft.written])}


def _spelt(now: Growing, ids: Sequence[int]) -> str:
    """What ids say, without special tokens."""
    if isinstance(now.model, OwnModel):
        return now.model.task.decode(ids)
    return now.model.encoder.spelt(ids)
