"""What heads do, measured: every head of a model by what its attention does, one of them in words and numbers."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import choices, navigation, state
from app.i18n import t
from app.trained.facts import show_layer_notes, show_notes
from app.trained.headline import choose_stack, open_link, title
from app.trained.opening import Opened, opened
from app.trained.roles.grid import show_grid
from app.trained.roles.head import show_profile
from app.trained.roles.matrix import show_matrix
from app.trained.roles.roles import Roles, chosen, grounds, measured
from app.trained.roles.table import show_table
from app.trained.roles.words import CHOICES, FORMULAS, name_of
from app.trained.stack import Stack, current_stack
from models.head_roles import MEASURES


def show() -> None:
    """Draw the page."""
    now = opened()
    if now is None:
        return
    stack = current_stack(now.trace)
    on, measure = chosen(now), str(state.lab("r_measure"))
    show_notes(now)
    with st.container(key="model_roles"):
        left, right = st.columns([1.42, 1], gap="medium")
        with left, st.container(gap="small"):
            heads = sum(call.heads for call in stack.calls)
            title(t("roles.title"), t("roles.lead", heads=heads))
            _controls(now, stack)
            roles = measured(now, stack, on, aside=_aside(stack))
            if roles.layers:
                show_grid(roles, stack, measure)
                show_layer_notes(now, stack)
            _explain(roles, measure)
        with right, st.container(gap="small"):
            _chosen(now, stack, roles, measure)
        if roles.layers:
            show_table(roles, stack, measure)
        _measures(roles)


def _controls(now: Opened, stack: Stack) -> None:
    names = {measure: name_of(measure) for measure in CHOICES}
    with st.container(horizontal=True, vertical_alignment="center", key="roles_controls"):
        choose_stack(now)
        choices.segments(
            t("roles.on"),
            grounds(now),
            lambda on: t(f"roles.on_{on}"),
            state.knob("r_on"),
            required=True,
            label_visibility="collapsed",
        )
        choices.select(
            t("roles.measure"),
            CHOICES,
            names.__getitem__,
            state.knob("r_measure"),
            width=190,
            label_visibility="collapsed",
        )
        if stack.name[1] == "self":
            st.toggle(t("trained.sink"), help=t("roles.aside_help"), **state.bind("model_sink"))


def _aside(stack: Stack) -> bool:
    """Whether the first token is set aside; between two texts it is no sink."""
    return state.model_view().sink and stack.name[1] == "self"


def _explain(roles: Roles, measure: str) -> None:
    """What is shown, and on what it was measured."""
    about = escape(t(f"roles.about.{measure}"))
    formula = f' <span class="am-formula">{FORMULAS[measure]}</span>' if measure in FORMULAS else ""
    st.html(f'<p class="am-small">{about}{formula}</p><p class="am-small">{escape(_measured_on(roles))}</p>')


def _measured_on(roles: Roles) -> str:
    said = t(f"roles.measured_{roles.on}", texts=len(roles.texts), tokens=roles.tokens)
    return said + t("roles.sep") + t("roles.aside") if roles.layers and roles.layers[0].aside else said


def _chosen(now: Opened, stack: Stack, roles: Roles, measure: str) -> None:
    name, link = st.columns([1.6, 1], vertical_alignment="center")
    name.html(f"<h2>{t('trained.place', layer=stack.layer, head=stack.head)}</h2>")
    with link:
        open_link("model_head", t("trained.open_head"), ":material/zoom_in:")
    if roles.layers:
        show_profile(roles, stack, measure)
    show_matrix(now, stack, roles)


def _measures(roles: Roles) -> None:
    """All measures with formula and source, the sample's texts, and what a score does not say."""
    st.html(f'<p class="am-small">{escape(t("roles.no_proof"))}</p>')
    open_link("model_cause", t("roles.open_cause"), navigation.entry("model_cause").icon)
    with st.expander(t("roles.how"), icon=":material/straighten:"):
        items = "".join(
            f"<div><dt>{escape(name_of(name))}<span>{FORMULAS[name]}</span></dt>"
            f"<dd>{escape(t(f'roles.about.{name}'))} <cite>{escape(t(f'roles.source.{name}'))}</cite></dd></div>"
            for name in MEASURES
        )
        st.html(f'<p class="am-small">{escape(t("roles.rules"))}</p><dl class="am-measures">{items}</dl>')
    if roles.texts:
        with st.expander(t("roles.texts", count=len(roles.texts)), icon=":material/article:"):
            for text in roles.texts:
                st.text(text)
