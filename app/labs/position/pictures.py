"""Pictures of the position laboratory: the encoding itself, this sentence's scores, similarity over distance."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from app import state
from app.i18n import t, words
from app.labs import charts
from app.labs.position import position
from app.labs.position.state import ABSOLUTE, Looked
from components.encoding import Wave, encoding, encoding_data
from components.matrix import Selection, matrix, matrix_data
from components.plane import Arrow, Hue, Panel, plane, plane_data
from models.positioned import turned

HEIGHT = 215  # of a matrix of scores
PANELS = 6  # pairs of dimensions that are drawn


def draw(looked: Looked) -> None:
    """The picture that the knobs ask for."""
    if looked.view == "sentence":
        _sentence(looked)
    elif looked.view == "similarity":
        _similarity(looked)
    elif looked.name in ABSOLUTE:
        _encoding(looked)
    elif looked.name == "rotary":
        _turning(looked)
    else:
        _bias(looked)


def _encoding(looked: Looked) -> None:
    whole = looked.encoding
    part = position.sampled(whole)
    pair = [d for d in (looked.dimension, looked.dimension + 1) if d < whole.shape[1]]
    hint = t("lab.position.encoding_hint")
    if part.position_step * part.dimension_step > 1:
        hint += t("lab.position.sampled", a=part.position_step, b=part.dimension_step)
    encoding(
        encoding_data(
            part.values.numpy(),
            [Wave(d, whole[:, d].numpy()) for d in pair],
            length=len(whole),
            dimensions=whole.shape[1],
            steps=(part.position_step, part.dimension_step),
            text=words("encoding", hint=hint),
            height=480,
            limit=float(part.values.abs().quantile(0.99)) if looked.name == "learned" else 1.0,
            marked=len(looked.trace.labels("key")),
        ),
        key="am.position.encoding",
        on_choose=lambda dimension: state.turn(p_dimension=dimension),
    )


def _turning(looked: Looked) -> None:
    """Every pair of dimensions of one query and one key, before and after it is turned to its position."""
    q, k = looked.pair_unturned
    pairs = looked.trace.d_k // 2
    labels = looked.trace.labels("key")
    panels = [_panel(looked, q, k, pair, labels) for pair in _spread(pairs, PANELS)]
    if not panels:
        st.text(t("lab.position.no_pairs", d_k=looked.trace.d_k))
        return
    plane(
        plane_data(panels, text=words("plane", label=t("lab.position.turning_label")), height=470),
        key="am.position.turning",
    )


def _panel(looked: Looked, q: Tensor, k: Tensor, pair: int, labels: tuple[str, ...]) -> Panel:
    count, start, base = len(labels), looked.scheme.start, looked.scheme.base
    places = torch.arange(start, start + count)
    part = slice(2 * pair, 2 * pair + 2)
    tour = {name: turned(v.expand(count, -1), places, base=base)[:, part] for name, v in (("q", q), ("k", k))}
    here = [tour["q"][looked.i].tolist(), tour["k"][looked.j].tolist()]
    still = [q[part].tolist(), k[part].tolist()]
    hues: tuple[Hue, Hue] = ("q", "k")
    return Panel(
        [
            *(Arrow(x, y, hue) for (x, y), hue in zip(here, hues, strict=True)),
            *(Arrow(x, y, hue, faint=True) for (x, y), hue in zip(still, hues, strict=True)),
        ],
        reach=max(float(torch.cat((q[part], k[part])).abs().max()) * 1.45, 1e-3),
        title=t("lab.position.pair", a=2 * pair, b=2 * pair + 1),
        angle=True,
        dots=[
            (*point, hue) for hue, name in zip(hues, ("q", "k"), strict=True) for point in tour[name].tolist()
        ],
    )


def _spread(count: int, most: int) -> list[int]:
    """All of 0 … count − 1 or, of more, `most` that lie evenly between the first and the last."""
    return (
        list(range(count))
        if count <= most
        else sorted({round(n * (count - 1) / (most - 1)) for n in range(most)})
    )


def _bias(looked: Looked) -> None:
    values = looked.bias_matrix().numpy()
    count = len(values)
    tokens = looked.trace.labels("key")
    labels = tokens if count == len(tokens) else None
    title = t("lab.position.bias_title", head=looked.head)
    matrix(
        matrix_data(
            values,
            labels,
            labels,
            title=title,
            text=words("matrix", label=title),
            hue="x",
            row_hue="q",
            col_hue="k",
            height=445,
            clickable=False,
        ),
        key="am.position.bias",
    )


def _sentence(looked: Looked) -> None:
    scores = looked.scores
    top = st.columns(2, gap="small")
    bottom = st.columns(2, gap="small")
    limit = max(float(scores.before.abs().max()), float(scores.after.abs().max()), 1e-9)
    for place, name, values in (
        (top[0], "before", scores.before),
        (top[1], "after", scores.after),
        (bottom[0], "change", scores.change),
    ):
        with place:
            _scores(looked, name, values, limit)
    with bottom[1]:
        _change_over_distance(looked)


def _scores(looked: Looked, name: str, values: Tensor, limit: float) -> None:
    scores = looked.scores
    title = t(f"lab.position.{name}", head=looked.head)
    chosen = (looked.i, looked.j) if max(looked.i, looked.j) < len(scores.labels) else None
    matrix(
        matrix_data(
            values.numpy(),
            scores.labels,
            scores.labels,
            title=title,
            text=words("matrix", label=title),
            limit=limit,
            mask=None if scores.mask is None else np.broadcast_to(scores.mask.numpy(), values.shape),
            hue="x",
            row_hue="q",
            col_hue="k",
            selected=chosen,
            height=HEIGHT,
            channel="position",
        ),
        key=f"am.position.{name}",
        on_select=_select,
    )


def _select(cell: Selection) -> None:
    state.select(i=cell.row, j=cell.col)


def _change_over_distance(looked: Looked) -> None:
    """The mean change of the scores at each distance: what the scheme does whatever the words are."""
    change = looked.scores.change
    count = len(change)
    distances = list(range(-(count - 1), count))
    means = [float(torch.diagonal(change, d).mean()) for d in distances]
    chart = charts.figure(
        t("lab.position.mean_change"),
        t("lab.position.change"),
        height=HEIGHT + 36,
        x=t("lab.position.distance"),
    )
    colours = charts.colours()
    chart.add_bar(
        x=distances,
        y=means,
        marker_color=[colours.positive if mean >= 0 else colours.negative for mean in means],
        hovertemplate="%{x}: %{y:.3f}<extra></extra>",
    )
    charts.draw(chart, "am.position.mean_change")


def _similarity(looked: Looked) -> None:
    if looked.name in (*ABSOLUTE, "rotary"):
        _two_curves(looked)
    else:
        _bias_curve(looked)


def _two_curves(looked: Looked) -> None:
    chart = charts.figure(
        t("lab.position.how_alike"),
        t(f"lab.position.similarity_{looked.name}"),
        height=470,
        x=t("lab.position.distance"),
    )
    colours = charts.colours()
    looks = ({"color": colours.query, "width": 4}, {"color": colours.key, "width": 1.6})
    for curve, line in zip(looked.curves, looks, strict=True):
        chart.add_scatter(
            x=curve.distance.numpy(),
            y=curve.value.numpy(),
            mode="lines",
            line=line,
            name=t("lab.position.from", place=curve.place),
            hovertemplate="%{x}: %{y:.3f}",
        )
    chart.update_layout(showlegend=True, legend={"x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"})
    charts.draw(chart, "am.position.similarity")


def _bias_curve(looked: Looked) -> None:
    chart = charts.figure(
        t("lab.position.how_biased"),
        t("lab.position.similarity_bias", head=looked.head),
        height=470,
        x=t("lab.position.distance"),
    )
    distances = np.arange(-(looked.length - 1), looked.length)
    more = {}
    if looked.name == "t5":
        more["customdata"] = position.buckets_over_distance(looked.scheme, looked.length).numpy()
    chart.add_scatter(
        x=distances,
        y=looked.bias.numpy(),
        mode="lines",
        line={"color": charts.colours().weights, "width": 2, "shape": "hvh"},
        hovertemplate="%{x}: %{y:.3f}"
        + (f"<br>{t('lab.position.bucket')} %{{customdata}}" if more else "")
        + "<extra></extra>",
        **more,
    )
    charts.draw(chart, "am.position.bias_curve")
