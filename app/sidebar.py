"""The controls that every page shares: sentence, sizes, positions, masks, head, language."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import choices, state
from app.i18n import LANGUAGES, t, words
from app.navigation import Subject
from app.used_controls import used_controls
from components.token_strip import token_strip, token_strip_data
from models.settings import (
    CUTS,
    MAX_D_MODEL,
    MAX_HEAD_SIZE,
    MAX_HEADS,
    MAX_SEED,
    MAX_TOKENS,
    PRESETS,
    TEMPERATURES,
)
from models.tokenizer import tokenize

Controls = frozenset[str]
SEGMENTS = 6  # heads beside each other; more are chosen from a list


def show(subject: Subject, path: str) -> None:
    """Draw the controls of what the page at this address is about, as far as it uses them. To be called inside
    `st.sidebar`; the values live in the state, so they are kept while the other controls are shown."""
    if subject == "model":
        # imported when needed: transformers takes seconds
        from app.trained import sidebar as real_sidebar

        real_sidebar.show()
    elif subject == "training":
        from app.learn.training import sidebar as training_sidebar

        training_sidebar.show()
    else:
        used = used_controls(path)
        if "text" in used:
            _sentence("hidden" in used)
        _sizes(used)
        _switches(used)
        if "head" in used:
            _head()
        if used:
            _more(used)
    st.caption(t("sidebar.counted"))
    choices.segments(
        t("sidebar.language"),
        list(LANGUAGES),
        lambda code: LANGUAGES[code],
        state.field("language"),
        required=True,
        width="stretch",
        label_visibility="collapsed",
    )


def _sentence(hiding: bool) -> None:
    with st.container(key="presets"):
        choices.segments(
            t("sidebar.preset"),
            list(PRESETS),
            lambda name: t(f"presets.{name}"),
            state.field("preset"),
            width="stretch",
        )
    st.text_area(t("sidebar.sentence"), height=76, **state.bind("text"))
    settings = state.settings()
    tokens = tokenize(settings.text, limit=MAX_TOKENS, cut=settings.cut)
    if tokens.truncated:
        st.caption(t("sidebar.cut", total=tokens.total, limit=MAX_TOKENS))
    elif len(tokens):
        st.caption(t("sidebar.tokens", count=len(tokens)))
    if len(tokens) and hiding:
        with st.container(key="strip"):
            token_strip(
                token_strip_data(
                    tokens.labels,
                    hidden=[index for index in state.settings().hidden if index < len(tokens)],
                    text=words("token_strip"),
                ),
                key="am.strip",
                on_toggle=toggle_hidden,
            )


def toggle_hidden(index: int) -> None:
    """Hide a token as padding, or bring it back."""
    hidden = set(state.settings().hidden) ^ {index}
    state.update(hidden=tuple(sorted(hidden)))


def _sizes(used: Controls) -> None:
    columns = iter(st.columns(2, gap="small")) if used & {"d_model", "heads"} else iter(())
    for name, label, most in (("d_model", "d_model", MAX_D_MODEL), ("heads", t("sidebar.heads"), MAX_HEADS)):
        if name in used:
            next(columns).number_input(label, min_value=1, max_value=most, step=1, **state.bind(name))


def _switches(used: Controls) -> None:
    if "position" in used:
        st.toggle(t("sidebar.positions"), **state.bind("sinusoidal"))
    if "mask" in used:
        st.toggle(t("sidebar.causal"), **state.bind("causal"))


def _head() -> None:
    heads = state.settings().heads
    if heads == 1:
        return
    options = list(range(heads))
    if heads <= SEGMENTS:
        choices.segments(
            t("sidebar.head"),
            options,
            str,
            state.field("head"),
            required=True,
            width="stretch",
        )
    else:
        choices.select(
            t("sidebar.head"),
            options,
            lambda head: t("sidebar.head_of", head=head, last=heads - 1),
            state.field("head_of_many"),
        )


def _more(used: Controls) -> None:
    with st.popover(t("sidebar.more"), width="stretch", type="tertiary", icon=":material/tune:"):
        if "cut" in used:
            _cut()
        columns = iter(st.columns(2)) if used & {"d_k", "d_v"} else iter(())
        for name in sorted(used & {"d_k", "d_v"}):
            _head_size(next(columns), name)
        if "seed" in used:
            _seed()
        if "temperature" in used:
            _temperature()
        st.button(t("sidebar.reset"), on_click=state.reset, key="am.reset", width="stretch")


def _cut() -> None:
    choices.segments(
        t("sidebar.cut_into"),
        CUTS,
        lambda cut: t(f"sidebar.cut_{cut}"),
        state.field("cut"),
        required=True,
        width="stretch",
        help=t("sidebar.cut_help"),
    )


def _head_size(column: DeltaGenerator, name: str) -> None:
    column.number_input(
        name,
        min_value=1,
        max_value=MAX_HEAD_SIZE,
        step=1,
        placeholder=t("sidebar.auto"),
        help=t("sidebar.size_help"),
        value=None,
        **state.bind(name),
    )


def _seed() -> None:
    st.number_input(
        t("sidebar.seed"),
        min_value=0,
        max_value=MAX_SEED,
        step=1,
        help=t("sidebar.seed_help"),
        **state.bind("seed"),
    )


def _temperature() -> None:
    st.number_input(
        t("sidebar.temperature"),
        min_value=TEMPERATURES[0],
        max_value=TEMPERATURES[1],
        step=0.1,
        format="%.2f",
        help=t("sidebar.temperature_help"),
        **state.bind("temperature"),
    )
