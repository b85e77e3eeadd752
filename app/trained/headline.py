"""What stands above the pictures of a trained model: title, the stacks to choose from, the head that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app import choices, navigation, state
from app.i18n import t
from app.trained.opening import Opened
from app.trained.stack import Stack, stacks_of
from components.phrase import isolated

SEGMENTS = 16  # heads beside each other; more are chosen from a list
SPACE = "␣"


def title(heading: str, lead: str = "") -> None:
    """A page's title and the line under it. Both are HTML: what comes from a user must be escaped."""
    below = f'<p class="am-lead">{lead}</p>' if lead else ""
    st.html(f"<h1>{heading}</h1>{below}")


def spoken(label: str) -> str:
    """A token's label for running text: without the glyph of the space before it, escaped."""
    return escape(str(isolated(label.lstrip(SPACE) or label)))


def open_link(page: str, label: str, icon: str) -> None:
    """A link to another page that keeps everything that is looked at."""
    navigation.link(page, label, icon)


def more_links() -> None:
    """The same head on the stage, and what the model says without it."""
    for page, label in (("model_steps", "trained.open_steps"), ("model_cause", "trained.open_cause")):
        open_link(page, t(label), navigation.entry(page).icon)


def choose_stack(now: Opened) -> None:
    """A switch between encoder, decoder and cross-attention, where the model has more than one."""
    names = stacks_of(now.trace.calls)
    if len(names) > 1:
        choices.segments(
            t("trained.stack"),
            names,
            stack_name,
            state.field("model_stack"),
            required=True,
            label_visibility="collapsed",
        )


def stack_name(name: tuple[str, str]) -> str:
    return t(f"trained.stack_{name[0]}_{name[1]}")


def choose_head(stack: Stack, queries: Sequence[str] = ()) -> None:
    """Layer, head and, with `queries`, the query; to be called inside a horizontal container."""
    choices.select(
        t("trained.layer"),
        stack.layers,
        lambda layer: t("trained.layer_short", layer=layer),
        state.field("model_layer"),
        width=122,
        label_visibility="collapsed",
    )
    heads = range(stack.call.heads)
    if len(heads) > SEGMENTS:
        names = [t("trained.head_long", head=n) for n in heads]
        choices.select(
            t("trained.head"),
            heads,
            names.__getitem__,
            state.field("model_head"),
            width=122,
            label_visibility="collapsed",
        )
    else:
        choices.segments(
            t("trained.head"),
            heads,
            lambda n: f"H{n}",
            state.field("model_head"),
            required=True,
            label_visibility="collapsed",
        )
    if queries:
        asking = [t("trained.query_short", token=token, index=i) for i, token in enumerate(queries)]
        choices.select(
            t("trained.query"),
            range(len(asking)),
            asking.__getitem__,
            state.field("model_i"),
            width=200,
            label_visibility="collapsed",
        )
