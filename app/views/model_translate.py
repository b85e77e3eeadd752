"""The three places of attention in the architecture's own drawing; the chosen one opened beside it."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import streamlit as st

from app import navigation, state
from app.i18n import t, words
from app.model_view import ModelView, with_model
from app.real.axes import axes_of
from app.real.facts import show_notes
from app.real.head_matrix import show_head_matrix
from app.real.headline import choose_head, open_link, stack_name, title
from app.real.links import CHANNEL, all_heads, show_links
from app.real.opening import Opened, opened
from app.real.shown import Axis, Floats, shown_weights
from app.real.stack import Stack, current_stack
from app.real.translate import Places, places_of, weights_of
from app.real.translate_drawing import show_drawing
from app.real.translate_words import aligned, lacks, says, strongest
from components.token_links import token_links

CSS = Path(__file__).with_name("translate.css")
MATRIX, LINKS = 262, 214  # pixels: both beside the drawing on one screen
COMPLETE = ("words-en", "words-zh")  # models of our own that have all three places
SHOWN = 120  # characters of what the model wrote
LINKED = (
    ("model_head", "real.open_head", ":material/hub:"),
    ("model_cell", "real.open_cell", ":material/calculate:"),
    ("model_grow", "translate.open_grow", ":material/arrow_downward:"),
)


def show() -> None:
    """Draw the page."""
    st.html(CSS)
    prefer_a_complete_model()
    with st.container(key="model_translate", gap="small"):
        notes = st.container(gap="small")
        left, right = st.columns([1.16, 1], gap="medium")
        with left:
            above = st.container(gap="small")
        now = opened()
        with above:
            if now is not None:
                title(t("translate.title"), t("translate.lead"))
            _texts(now)
        if now is None:
            return
        stack = current_stack(now.trace)
        places = places_of(now.trace.calls, now.model.module, now.model.info.positions)
        with notes:
            show_notes(now)
        with left:
            show_drawing(now, places, stack)
            _missing(places)
        with right, st.container(gap="small"):
            _opened(now, places, stack)


def prefer_a_complete_model() -> None:
    """Whoever comes here without having chosen a model or a text sees one with all three places. Choosing the app's
    first model on this page keeps it: `e_stay` says so in the address."""
    memory = state.scratch("translate")
    seen = memory.get("model") if memory.get("visit") == state.visit() else None
    view = state.model_view()
    memory.update(visit=state.visit(), model=view.model)
    if view.model != ModelView().model or state.lab("e_stay"):
        return
    if seen is not None and seen != view.model:
        state.turn(e_stay=True)
    elif view.text == ModelView().text and not view.pair:
        memory.update(model=_preferred())
        open_model(_preferred())
        st.rerun()


def _preferred() -> str:
    own = f"words-{state.language()}"
    return own if own in COMPLETE else COMPLETE[0]


def open_model(name: str) -> None:
    """Look at another model, at its example."""
    view = with_model(replace(state.model_view(), text="", pair="", target=""), name)
    state.look(**{field.name: getattr(view, field.name) for field in fields(view)})


def _texts(now: Opened | None) -> None:
    """What is read and what is written; the same as in the sidebar."""
    view = state.model_view()
    writes = now is None or {"encoder", "decoder"} <= set(now.trace.tokens)
    if not (view.target or writes):
        _text_field("text", view.text, t("translate.only_text"))
        return
    source, target = st.columns(2, gap="small")
    with source:
        _text_field("text", view.text, t("translate.source"))
    with target:
        _text_field("target", view.target, t("translate.target"), _own_words(now))


def _text_field(name: str, value: str, label: str, placeholder: str = "") -> None:
    """One line, or more where the text has more: a single line would lose its line breaks."""
    field = st.text_area if "\n" in value else st.text_input
    field(label, placeholder=placeholder, **state.bind(f"translate_{name}"))


def _own_words(now: Opened | None) -> str:
    """What the model wrote by itself."""
    if now is None or state.model_view().target or "decoder" not in now.trace.tokens:
        return t("translate.target_hint")
    return t("translate.target_written", written=now.trace.tokens["decoder"].texts[0][:SHOWN])


def _missing(places: Places) -> None:
    """What the model does not have, and a click to those that do."""
    sentences = lacks(places)
    if not sentences:
        return
    st.html(f'<p class="am-small">{t("translate.says.sep").join(sentences)}</p>')
    with st.container(horizontal=True, key="translate_offer"):
        for name in COMPLETE:
            st.button(t(f"translate.offer.{name}"), key=f"am.open_{name}", on_click=open_model, args=(name,))


def _opened(now: Opened, places: Places, stack: Stack) -> None:
    """The chosen place: its sentence, its head, its weights as matrix and as links."""
    role = places.role_of(stack.name)
    mean = state.lab("e_mean")
    with st.container(horizontal=True, vertical_alignment="center", key="translate_place"):
        st.html(f"<h2>{t(f'translate.place.{role}') if role else stack_name(stack.name)}</h2>")
        st.toggle(t("translate.mean"), **state.bind_knob("e_mean"))
    with st.container(horizontal=True, vertical_alignment="center", key="translate_head"):
        if mean:
            _choose_layer(stack)
        else:
            choose_head(stack)
    if role is not None:
        more = aligned(now, stack, mean) if role == "cross" else strongest(now, stack, mean)
        st.html(f'<p class="am-small">{says(role, stack, alone=places.alone)} {more}</p>')
    rows, cols = axes_of(now, stack)
    together = not mean and all_heads(stack, rows, cols)
    weights = shown_weights(weights_of(stack, mean), rows, cols)
    show_head_matrix(
        weights,
        stack,
        rows,
        cols,
        key="translate_matrix",
        height=MATRIX,
        channel=CHANNEL,
        head=stack.head if together else 0,
    )
    if mean:
        _mean_links(weights, rows, cols)
    else:
        show_links(stack, rows, cols, LINKS)
    with st.container(horizontal=True, key="translate_links"):
        known = {entry.name for entries in navigation.GROUPS.values() for entry in entries}
        for page, label, icon in LINKED:
            if page in known:
                open_link(page, t(label), icon)


def _choose_layer(stack: Stack) -> None:
    """The layer alone: the picture is the mean over its heads."""
    names = [t("real.layer_short", layer=layer) for layer in range(len(stack.calls))]
    st.selectbox(
        t("real.layer"),
        range(len(names)),
        format_func=names.__getitem__,
        width=122,
        label_visibility="collapsed",
        **state.bind("model_layer"),
    )
    st.html(f'<p class="am-small">{t("translate.mean_of", count=stack.call.heads)}</p>')


def _mean_links(weights: Floats, rows: Axis, cols: Axis) -> None:
    token_links(
        weights[None],
        rows.labels,
        cols.labels,
        names=[t("translate.mean_short")],
        text=words("token_links"),
        key="translate_mean_links",
        height=LINKS,
        channel=CHANNEL,
    )
