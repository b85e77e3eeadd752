"""Laboratory: what a dot product measures."""

from __future__ import annotations

import math

import streamlit as st
import torch

from app import choices, state
from app.i18n import t
from app.labs.frame import frame
from app.labs.geometry import pictures as geometry_pictures
from app.labs.geometry import words as geometry_words
from app.labs.geometry.geometry import Looked
from app.labs.knobs import KNOBS
from app.labs.parts import bounds, number_table
from app.session import current_trace
from components.theme import num
from models import geometry, steps

LISTED = 5  # keys in the table


def show() -> None:
    source = state.lab("g_source")
    frame(
        "geometry",
        picture=lambda: _picture(source),
        knobs=lambda: _knobs(source),
        words=lambda: _words(source),
        functions={
            "free": (geometry.take_apart,),
            "pair": (geometry.take_apart, geometry.spanned_plane, steps.dot_products),
            "keys": (geometry.take_apart, geometry.around_query, steps.dot_products, steps.softmax),
        }[source],
        step={"free": None, "pair": "scores", "keys": "weights"}[source],
        pattern=source != "free",
    )


def _free() -> tuple[tuple[float, float], tuple[float, float]]:
    return (state.lab("g_qx"), state.lab("g_qy")), (state.lab("g_kx"), state.lab("g_ky"))


def _looked() -> Looked:
    trace, view = current_trace(), state.view()
    return Looked(
        trace,
        min(view.head, trace.heads - 1),
        min(view.i, len(trace.labels("query")) - 1),
        min(view.j, len(trace.labels("key")) - 1),
        state.lab("g_factor"),
        state.lab("g_what"),
    )


def _picture(source: str) -> None:
    choices.segments(
        t("lab.geometry.source"),
        KNOBS["g_source"].options,
        lambda option: t(f"lab.geometry.source_{option}"),
        state.knob("g_source"),
        required=True,
        label_visibility="collapsed",
    )
    if source == "free":
        geometry_pictures.free(*_free())
    elif source == "pair":
        geometry_pictures.pair(_looked())
    else:
        geometry_pictures.keys(_looked())


# ---- knobs ---------------------------------------------------------------------------------------------------------


def _knobs(source: str) -> None:
    if source == "free":
        _free_knobs()
    else:
        _own_knobs()


def _free_knobs() -> None:
    for place, name in zip(st.columns(4, gap="small"), ("qx", "qy", "kx", "ky"), strict=True):
        place.number_input(
            t(f"lab.geometry.{name}"),
            **bounds(f"g_{name}"),
            step=0.1,
            format="%.2f",
            **state.bind_knob(f"g_{name}"),
        )
    for place, degrees in zip(st.columns(3, gap="small"), (0, 90, 180), strict=True):
        place.button(
            f"θ = {degrees}°",
            key=f"am.geometry.turn_{degrees}",
            width="stretch",
            help=t("lab.geometry.turn_help"),
            on_click=turn_key,
            args=(degrees,),
        )


def turn_key(degrees: int) -> None:
    """Turn k to an angle with q, keeping its length as far as the plane reaches."""
    (qx, qy), (kx, ky) = _free()
    angle = math.atan2(qy, qx) + math.radians(degrees)
    length = math.hypot(kx, ky)
    across, up = math.cos(angle), math.sin(angle)
    length = min(length, geometry_pictures.REACH / max(abs(across), abs(up)))
    state.turn(g_kx=round(length * across, 2), g_ky=round(length * up, 2))


def _own_knobs() -> None:
    looked = _looked()
    left, right = st.columns(2, gap="small")
    with left:
        _choose("i", looked.i, looked.trace.labels("query"))
    with right:
        _choose("j", looked.j, looked.labels)
    st.slider(
        t("lab.geometry.factor"),
        **bounds("g_factor"),
        step=0.1,
        help=t("lab.geometry.factor_help"),
        **state.bind_knob("g_factor"),
    )
    choices.segments(
        t("lab.geometry.what"),
        KNOBS["g_what"].options,
        lambda option: t(f"lab.geometry.what_{option}"),
        state.knob("g_what"),
        required=True,
        width="stretch",
        label_visibility="collapsed",
    )


def _choose(axis: str, chosen: int, labels: tuple[str, ...]) -> None:
    """A list of tokens."""
    choices.select(
        t(f"lab.geometry.{axis}"),
        range(len(labels)),
        lambda index: f"{index} · {labels[index]}",
        state.Bound(f"am.geometry.{axis}", chosen, lambda index: state.select(**{axis: index})),
    )


# ---- words ---------------------------------------------------------------------------------------------------------


def _words(source: str) -> None:
    if source == "free":
        query, key = (torch.tensor(vector, dtype=torch.float64) for vector in _free())
        st.text(geometry_words.about_free(geometry.take_apart(query, key)))
        st.caption(t("lab.geometry.free_note"))
        return
    looked = _looked()
    if source == "pair":
        st.text(geometry_words.about_pair(looked))
        return
    _table(looked)
    st.text(geometry_words.about_keys(looked))


def _table(looked: Looked) -> None:
    """Every score split into its lengths and its angle, the largest first."""
    ranked = sorted(range(len(looked.labels)), key=lambda index: -looked.products[index].dot)[:LISTED]
    if looked.j not in ranked:
        ranked[-1] = looked.j
    rows = [
        (
            looked.labels[index],
            num(looked.products[index].key),
            num(looked.products[index].cosine),
            num(looked.products[index].dot),
            num(float(looked.stretched_weights[index])),
        )
        for index in ranked
    ]
    head = (t("lab.geometry.j"), "|k|", "cos θ", "q·k", t("lab.geometry.weight"))
    number_table(head, rows, marked=ranked.index(looked.j))
