"""The four charts of the laboratory on scaling: spread, one row of softmax, saturation, gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.i18n import t
from app.labs import charts
from app.labs.scale.scale import SIZES, Curves, Here
from models.scaling import Measured, expected_spread

if TYPE_CHECKING:
    from plotly.graph_objs import Figure

HEIGHT = 288
Read = Callable[[Measured], float]


def spread(curves: Curves, d_k: int) -> Figure:
    """Measured standard deviations as dots on the lines of theory."""
    chart = _over_sizes("spread", d_k, log=True)
    for measured, plain in ((curves.plain, True), (curves.scaled, False)):
        theory = [expected_spread(size, 1.0 if plain else 1 / math.sqrt(size)) for size in SIZES]
        chart.add_scatter(x=SIZES, y=theory, line={"color": _colour(plain), "width": 1.5}, hoverinfo="skip")
        _curve(chart, measured, lambda m: m.spread, plain, dots=True)
    return chart


def saturation(curves: Curves, d_k: int, keys: int) -> Figure:
    """The largest weight (full lines), and the entropy as a share of what is possible (dotted)."""
    chart = _over_sizes("saturation", d_k, keys=keys)
    for measured, plain in ((curves.plain, True), (curves.scaled, False)):
        _curve(chart, measured, lambda m: m.largest.middle, plain)
        _curve(chart, measured, lambda m: m.entropy.middle / math.log(keys), plain, dash="dot")
    return chart.update_yaxes(range=[-0.03, 1.05])


def gradient(curves: Curves, d_k: int) -> Figure:
    """The Jacobian's norm (full lines) and the gradient that reaches q (dotted)."""
    chart = _over_sizes("gradient", d_k, log=True)
    for measured, plain in ((curves.plain, True), (curves.scaled, False)):
        _curve(chart, measured, lambda m: m.jacobian.middle, plain)
        _curve(chart, measured, lambda m: m.gradient.middle, plain, dash="dot")
    return chart


def row(here: Here) -> Figure:
    """A typical row: the weights of one query, key by key."""
    keys = list(range(len(here.scores)))
    chart = charts.figure(
        t("lab.scale.row_title"),
        t("lab.scale.row_drawn", d_k=f"{here.plain.d_k:,}"),
        height=HEIGHT,
        x=t("lab.scale.key"),
        barmode="group",
        bargap=0.25,
    )
    for weights, plain in ((here.plain_weights, True), (here.scaled_weights, False)):
        chart.add_bar(
            x=keys,
            y=weights,
            marker={"color": _colour(plain), "line_width": 0},
            hovertemplate="%{y:.3g}<extra></extra>",
        )
    return chart.update_yaxes(range=[0, 1.04]).update_xaxes(
        tickvals=keys if len(keys) <= 16 else keys[::4], range=[-0.6, len(keys) - 0.4]
    )


def _over_sizes(name: str, d_k: int, *, keys: int = 0, log: bool = False) -> Figure:
    title, drawn = t(f"lab.scale.{name}_title"), t(f"lab.scale.{name}_drawn", keys=keys)
    chart = charts.figure(title, drawn, height=HEIGHT, x="d_k")
    chart.update_xaxes(**charts.powers_of_two(SIZES[-1]))
    if log:
        chart.update_yaxes(type="log", exponentformat="power", dtick=1)
    chart.add_vline(x=d_k, line={"color": charts.colours().mute, "width": 1, "dash": "dash"})
    return chart


def _curve(
    chart: Figure,
    measured: Sequence[Measured],
    read: Read,
    plain: bool,
    *,
    dash: str = "solid",
    dots: bool = False,
) -> None:
    chart.add_scatter(
        x=[m.d_k for m in measured],
        y=[read(m) for m in measured],
        mode="markers" if dots else "lines+markers",
        marker={"color": _colour(plain), "size": 7 if dots else 4},
        line={"color": _colour(plain), "width": 2, "dash": dash},
        hovertemplate="d_k = %{x:,}: %{y:.3g}<extra></extra>",
    )


def _colour(plain: bool) -> str:
    return charts.colours().negative if plain else charts.colours().positive
