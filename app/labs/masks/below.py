"""The second part of the laboratory on masks: rows that lost everything, and what a causal mask is good for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from app import state
from app.i18n import t, words
from app.labs.masks import words as masks_words
from app.labs.masks.masks import close_row
from app.session import trace_of
from components.matrix import matrix, matrix_data
from components.token_bars import token_bars, token_bars_data
from models import masked
from models.masked import MaskChoice, Masked
from models.settings import Settings
from models.trace import Trace


def lost_rows(trace: Trace, now: Masked, row: int, head: int) -> None:
    """What implementations do with a row that lost everything; a way to make one where there is none."""
    st.subheader(t("lab.masks.lost_title"), anchor=False)
    labels = trace.labels("query")
    if not now.lost:
        st.text(t("lab.masks.none_lost"))
        st.button(
            t("lab.masks.lose", number=row),
            key="am.masks.lose",
            icon=":material/visibility_off:",
            on_click=close_row,
            args=(row,),
        )
        return
    row = row if row in now.lost else now.lost[0]
    query, key = (trace[name].value[head] for name in ("query", "key"))
    found = masked.lost_row(query, key, now.mask, row)
    title = t("lab.masks.lost_label", number=row)
    matrix(
        matrix_data(
            np.stack([weights.numpy() for weights in found.values()]),
            [t(f"lab.masks.by.{name}") for name in found],
            labels,
            title=title,
            text=words("matrix", label=title),
            scale="weights",
            hue="w",
            col_hue="k",
            height=230,
            clickable=False,
        ),
        key="am.masks.lost",
    )
    st.text(masks_words.about_lost(labels, row, now.lost, found))
    st.caption(t("lab.masks.called", version=torch.__version__.split("+")[0]))


def growing(settings: Settings, choice: MaskChoice) -> None:
    """The outputs before and after a token is added, with a causal mask, without one, and with the present one."""
    st.subheader(t("lab.masks.grow_title"), anchor=False)
    default = t("lab.masks.word_default")
    st.text_input(t("lab.masks.word"), placeholder=default, max_chars=40, **state.bind_knob("m_word"))
    word = state.lab("m_word").strip() or default
    # edited word vectors belong to one sentence's positions
    settings = replace(settings, edits=settings.edits.without("embedding"))
    before, after = (
        trace_of(replace(settings, text=text)).trace for text in (settings.text, f"{settings.text} {word}")
    )
    if not is_longer(before, after):
        st.text(t("lab.masks.not_longer"))
        return
    names = [(label,) for label in before.labels("query")]
    moves = {
        name: masked.moved(
            *(masked.under_mask(trace, which.visible(size(trace))) for trace in (before, after))
        )
        for name, which in (("causal", MaskChoice(causal=True)), ("free", MaskChoice()), ("now", choice))
    }
    for name in ("causal", "free"):
        label = t(f"lab.masks.grow_{name}", word=word)
        st.text(label if moves[name].any() else t("lab.masks.all_zero", title=label))
        token_bars(
            token_bars_data(moves[name].numpy(), names, label=label, height=44), key=f"am.masks.{name}"
        )
    st.text(masks_words.about_moves(moves["causal"], moves["free"], moves["now"], word))


def is_longer(before: Trace, after: Trace) -> bool:
    """Whether the second sentence is the first one with something added (256 tokens are the limit)."""
    old, new = before.labels("query"), after.labels("query")
    return len(new) > len(old) and new[: len(old)] == old


def size(trace: Trace) -> int:
    return len(trace.labels("query"))
