"""Laboratory: how attention is told the order of its tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from app import choices, state
from app.i18n import t
from app.labs.frame import frame
from app.labs.knobs import KNOBS
from app.labs.position import pictures as position_pictures
from app.labs.position.state import ABSOLUTE, MOVABLE, Looked, looked
from app.labs.position.words import statement
from app.notice import error_notice, notice
from models import positions, relative, steps
from models.errors import InputError
from models.positioned import attend

FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "none": (steps.dot_products, attend),
    "sinusoidal": (positions.frequency, positions.sinusoidal, steps.add_positions, attend),
    "learned": (positions.learned, steps.add_positions),
    "rotary": (relative.rotary_angles, relative.rotary, attend),
    "alibi": (relative.alibi_slopes, relative.alibi, attend),
    "t5": (relative.relative_buckets, relative.relative_bias, attend),
}


def show() -> None:
    name, problem, now = state.lab("p_scheme"), None, None
    try:
        now = looked()
    except InputError as error:
        problem = error
    same = name == "none" or (name == "sinusoidal" and state.lab("p_base") == KNOBS["p_base"].default)
    frame(
        "position",
        picture=lambda: _picture(now, problem),
        knobs=_knobs,
        words=lambda: _words(now),
        functions=FUNCTIONS[name],
        step=None if not same else "position" if name == "sinusoidal" else "scores",
        carry={"position": name},
        pattern=state.lab("p_view") == "sentence" and name != "learned",
        ratio=(2.3, 1.0),
    )


def _picture(now: Looked | None, problem: InputError | None) -> None:
    choices.segments(
        t("lab.position.scheme"),
        list(FUNCTIONS),
        lambda name: t(f"lab.position.name_{name}"),
        state.knob("p_scheme"),
        required=True,
        width="stretch",
        label_visibility="collapsed",
    )
    if problem is not None:
        error_notice(problem, "position")
    elif _missing():
        notice(t("lab.position.not_fetched"), "not_fetched")
    elif now is not None:
        position_pictures.draw(now)


def _missing() -> bool:
    """Whether the trained model is needed and has not been fetched."""
    if state.lab("p_scheme") != "learned":
        return False
    from app.labs.position import (
        learned as position_learned,  # imported when needed: its package takes seconds
    )

    return not position_learned.available()


def _knobs() -> None:
    name, view = state.lab("p_scheme"), state.lab("p_view")
    if name != "none":
        choices.segments(
            t("lab.position.view"),
            KNOBS["p_view"].options,
            lambda option: t(f"lab.position.view_{option}"),
            state.knob("p_view"),
            required=True,
            width="stretch",
            label_visibility="collapsed",
        )
    numbers = list(_numbers(name, view))
    if numbers:
        for place, number in zip(st.columns(len(numbers), gap="small"), numbers, strict=True):
            with place:
                _number(number)
    if name == "t5":
        st.toggle(t("lab.position.both"), help=t("lab.position.both_help"), **state.bind_knob("p_both"))
    if name in MOVABLE and (view == "sentence" or (name, view) == ("rotary", "encoding")):
        knob = KNOBS["p_shift"]
        st.slider(
            t("lab.position.shift"),
            int(knob.low),
            int(knob.high),
            help=t("lab.position.shift_help"),
            **state.bind_knob("p_shift"),
        )


def _numbers(name: str, view: str) -> tuple[str, ...]:
    """The numbers that change this picture."""
    found = ["p_base"] if name in ("sinusoidal", "rotary") else []
    if name == "t5":
        found += ["p_buckets", "p_furthest"]
    if view == "sentence" or name == "none":
        return tuple(found)
    if name == "sinusoidal" or (name, view) == ("rotary", "similarity"):
        found.append("p_d")
    return (*found, "p_length") if (name, view) != ("rotary", "encoding") else tuple(found)


def _number(name: str) -> None:
    knob = KNOBS[name]
    kind = type(knob.default)
    limits: dict[str, Any] = {"min_value": kind(knob.low), "max_value": kind(knob.high), "step": kind(1)}
    if kind is float:
        limits["format"] = "%.1f"
    st.number_input(t(f"lab.position.{name}"), **limits, **state.bind_knob(name))


def _words(now: Looked | None) -> None:
    if now is None or _missing():
        return
    st.text(statement(now))
    if now.name in (*ABSOLUTE, "rotary", "alibi", "t5") and now.view == "sentence":
        st.caption(t("lab.position.own_switch" if now.name != "learned" else "lab.position.own_model"))
    elif now.name == "t5":
        st.caption(t("lab.position.seeded"))
