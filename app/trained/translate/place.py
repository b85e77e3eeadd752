"""The place of attention that is open: its sentence, its head, its weights as a matrix and as links."""

from __future__ import annotations

import streamlit as st

from app import choices, navigation, state
from app.i18n import t, words
from app.trained.axes import axes_of, sides
from app.trained.head_matrix import show_head_matrix
from app.trained.headline import choose_head, open_link, stack_name
from app.trained.links import CHANNEL, all_heads, show_links
from app.trained.opening import Opened
from app.trained.shown import Axis, Floats, shown_weights
from app.trained.stack import Stack
from app.trained.translate.alignment import clearest
from app.trained.translate.translate import Places, weights_of
from app.trained.translate.words import aligned, says, strongest
from components.token_links import token_links, token_links_data

MATRIX, LINKS = 262, 214  # pixels: both beside the drawing on one screen
SEARCHED = 10_000_000  # weights that are gone through at every run to find the clearest head
LINKED = (
    ("model_head", "trained.open_head"),
    ("model_cell", "trained.open_cell"),
    ("model_grow", "pages.model_grow"),
)


def show_place(now: Opened, places: Places, stack: Stack) -> None:
    """Draw what is known of the open place."""
    role, mean = places.role_of(stack.name), state.lab("e_mean")
    with st.container(horizontal=True, vertical_alignment="center", key="translate_place"):
        st.html(f"<h2>{t(f'translate.place.{role}') if role else stack_name(stack.name)}</h2>")
        st.toggle(t("translate.mean"), **state.bind_knob("e_mean"))
    with st.container(horizontal=True, vertical_alignment="center", key="translate_head"):
        if mean:
            _choose_layer(stack)
        else:
            choose_head(stack)
        if role == "cross" and not mean:
            _clearest(now, stack)
    if role is not None:
        more = aligned(now, stack, mean) if role == "cross" else strongest(now, stack, mean)
        st.html(
            f'<p class="am-small">{says(role, stack, alone=places.alone)}{t("translate.says.sep")}{more}</p>'
        )
    _pictures(now, stack, mean)
    with st.container(horizontal=True, key="translate_links"):
        for page, label in LINKED:
            open_link(page, t(label), navigation.entry(page).icon)


def _pictures(now: Opened, stack: Stack, mean: bool) -> None:
    """Matrix and links; pointing at one lights up the other."""
    rows, cols = axes_of(now, stack)
    weights = shown_weights(weights_of(stack, mean), rows, cols)
    head = stack.head if not mean and all_heads(stack, rows, cols) else 0
    show_head_matrix(
        weights, stack, rows, cols, key="translate_matrix", height=MATRIX, channel=CHANNEL, head=head
    )
    if mean:
        _mean_links(weights, rows, cols)
    else:
        show_links(stack, rows, cols, LINKS)


def _clearest(now: Opened, stack: Stack) -> None:
    """A click to the head that aligns words best, unless it is looked at already or would take long to find."""
    if sum(call.heads * call.queries * call.keys for call in stack.calls) > SEARCHED:
        return
    _, source = sides(now, stack)
    layer, head, score = clearest(stack.calls, () if source is None else source.special)
    if (layer, head) != (stack.layer, stack.head):
        st.button(
            t("translate.clearest", layer=layer, head=head, score=f"{score:.2f}"),
            key="am.clearest",
            type="tertiary",
            help=t("translate.clearest_help"),
            on_click=lambda: state.look(layer=layer, head=head),
        )


def _choose_layer(stack: Stack) -> None:
    """The layer alone: the picture is the mean over its heads."""
    choices.select(
        t("trained.layer"),
        stack.layers,
        lambda layer: t("trained.layer_short", layer=layer),
        state.field("model_layer"),
        width=122,
        label_visibility="collapsed",
    )
    st.html(f'<p class="am-small">{t("translate.mean_of", count=stack.call.heads)}</p>')


def _mean_links(weights: Floats, rows: Axis, cols: Axis) -> None:
    token_links(
        token_links_data(
            weights[None],
            rows.labels,
            cols.labels,
            names=[t("translate.mean_short")],
            text=words("token_links"),
            height=LINKS,
            channel=CHANNEL,
            clickable=False,
        ),
        key="translate_mean_links",
    )
