"""Pictures of the geometry laboratory: two free vectors, a query and a key in their plane, a query and all keys."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t, words
from app.labs.geometry.geometry import Looked
from components.plane import Arrow, Hue, Panel, plane, plane_data
from components.token_bars import token_bars, token_bars_data
from models.geometry import spanned_plane

REACH = 4.0  # of the plane with the free vectors
NAMED = 16  # keys whose arrows have names


def free(query: tuple[float, float], key: tuple[float, float]) -> None:
    """Two vectors to be dragged."""
    arrows = [Arrow(*query, "q", "q", drag="q"), Arrow(*key, "k", "k", drag="k")]
    plane(
        plane_data(
            [Panel(arrows, REACH, angle=True)],
            text=words("plane", label=t("lab.geometry.free_label")),
            height=485,
            readout=True,
        ),
        key="am.geometry.free",
        on_drag=_dropped,
    )


def _dropped(name: str, x: float, y: float) -> None:
    state.turn(**{f"g_{name}x": round(x, 2), f"g_{name}y": round(y, 2)})


def pair(looked: Looked) -> None:
    """The query and one key in the plane that they span."""
    still = spanned_plane(looked.query, looked.keys[looked.j]).tolist()
    now = spanned_plane(looked.stretched_query, looked.stretched_keys[looked.j]).tolist()
    names = (f"q · {looked.trace.labels('query')[looked.i]}", f"k · {looked.labels[looked.j]}")
    hues: tuple[Hue, Hue] = ("q", "k")
    arrows = [Arrow(x, y, hue, name) for (x, y), hue, name in zip(now, hues, names, strict=True)]
    if looked.factor != 1:
        arrows += [Arrow(x, y, hue, faint=True) for (x, y), hue in zip(still, hues, strict=True)]
    plane(
        plane_data(
            [_fitted(arrows)],
            text=words("plane", label=t("lab.geometry.pair_label")),
            height=485,
            readout=True,
        ),
        key="am.geometry.pair",
    )


def _fitted(arrows: list[Arrow], axes: tuple[str, str] = ("", "")) -> Panel:
    """A plane that is as large as its arrows, and need not be square."""
    reach, tall = (
        1.12 * max(abs(value) for value in values) or 1.0
        for values in zip(*((a.x, a.y) for a in arrows), strict=True)
    )
    return Panel(arrows, max(reach, tall), angle=True, axes=axes, tall=max(tall, reach * 0.6))


def keys(looked: Looked) -> None:
    """The query and all keys, and below them the weights that they get."""
    points = looked.around
    length = float(looked.query.norm())
    query = looked.factor if looked.stretched == "query" else 1.0
    arrows = [Arrow(length * query, 0.0, "q", f"q · {looked.trace.labels('query')[looked.i]}")]
    strongest = max(float(looked.stretched_weights.max()), 1e-9)
    named = set(looked.stretched_weights.argsort(descending=True)[:NAMED].tolist()) | {looked.j}
    for index, (x, y) in enumerate(points.tolist()):
        factor = looked.factor if looked.stretched == "key" and index == looked.j else 1.0
        arrows.append(
            Arrow(
                x * factor,
                y * factor,
                "k",
                looked.labels[index] if index in named else "",
                faint=index != looked.j,
                strength=0.35 + 0.65 * float(looked.stretched_weights[index]) / strongest,
            )
        )
    plane(
        plane_data(
            [_fitted(arrows, axes=(t("lab.geometry.along"), t("lab.geometry.across")))],
            text=words("plane", label=t("lab.geometry.keys_label")),
            height=320,
            readout=True,
        ),
        key="am.geometry.keys",
    )
    weights(looked)


def weights(looked: Looked) -> None:
    """The row of attention weights, as it is and with the stretched vector, on one scale."""
    shown = [("before", looked.weights)]
    if looked.factor != 1:
        shown.append(("after", looked.stretched_weights))
    most = max(float(row.max()) for _, row in shown)
    names = [(label,) for label in looked.labels]
    for place, (which, row) in zip(st.columns(len(shown), gap="medium"), shown, strict=True):
        with place:
            title = t(f"lab.geometry.weights_{which}", factor=f"{looked.factor:g}")
            st.caption(title)
            token_bars(
                token_bars_data(row.numpy(), names, label=title, height=56, most=most, hue="w"),
                key=f"am.geometry.weights_{which}",
            )
