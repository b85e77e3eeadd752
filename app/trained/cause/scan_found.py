"""What a scan of all heads found: in words, as a grid of effects, and as attention against effect."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from app import state
from app.i18n import t, words
from app.labs import charts
from app.trained.cause.answer import bold, looked_at, positions, query
from app.trained.cause.cause import Seen, plain
from components.matrix import Selection, matrix, matrix_data
from components.theme import num
from models.interventions.scan import Scan

STRONG = 2.0  # bits at which the colour is full: a quarter of the probability
MUCH = 0.5  # attention that is much
LITTLE, TURNED = 0.1, 0.005  # bits, and turns of a vector, that are little


def show_found(seen: Seen, found: Scan, weights: Tensor) -> None:
    """The grid, and the points beside it; `weights` are those of `attention`."""
    left, right = st.columns([1.55, 1], gap="medium")
    with left:
        _grid(seen, found)
    with right:
        _scatter(seen, found, weights)


def summary(seen: Seen, found: Scan, weights: Tensor) -> str:
    """Whether heads that look much at the key matter, and which head matters most; HTML."""
    return _looking(seen, found, weights) + t("cause.scan.sep") + _most(seen, found, weights)


def attention(seen: Seen) -> Tensor:
    """Layers × heads: how much each head looks from the chosen query at the chosen key; NaN where there is no head."""
    found = torch.full((len(seen.stack.calls), seen.stack.most_heads), torch.nan)
    chosen = torch.tensor([seen.stack.i])
    for row, call in enumerate(seen.stack.calls):
        for head in range(call.heads):
            found[row, head] = call.weights(head, rows=chosen)[0, seen.stack.j]
    return found


def _looking(seen: Seen, found: Scan, weights: Tensor) -> str:
    """How many heads look much at the key, and in how many of them that matters."""
    effects = found.effects
    looking = (weights >= MUCH) & ~effects.isnan()
    kind, least = ("bits", LITTLE) if seen.token is not None else ("turned", TURNED)
    edge = {"query": query(seen), "at": looked_at(seen), "much": num(MUCH, 1)}
    if not bool(looking.any()):
        return t("cause.scan.nobody", **edge)
    idle = int((looking & (effects.abs() < least)).sum())
    return t(
        f"cause.scan.looking_{kind}",
        **edge,
        count=int(looking.sum()),
        heads=found.measured,
        idle=idle,
        least=f"{least:g}",
        target=bold(_target(seen)),
    )


def _most(seen: Seen, found: Scan, weights: Tensor) -> str:
    """The head that matters most."""
    most = int(found.effects.nan_to_num(0).abs().argmax())
    place, head = divmod(most, found.effects.shape[1])
    size, weight = float(found.effects[place, head]), float(weights[place, head])
    kind, digits = ("bits", 2) if seen.token is not None else ("turned", 4)
    return t(
        f"cause.scan.most_{kind}",
        layer=seen.stack.layers[place],
        head=head,
        size=num(size, digits),
        target=bold(_target(seen)),
        weight=num(weight),
    )


def _target(seen: Seen) -> str:
    """What an effect is an effect on: the token that is followed, or the one whose vector it is."""
    return plain(seen.label(seen.token) if seen.token is not None else positions(seen)[seen.position])


def _grid(seen: Seen, found: Scan) -> None:
    """The effects, the longer side of layers and heads across."""
    layers, heads = found.effects.shape
    across = layers >= heads
    values = (found.effects.T if across else found.effects).numpy()
    names = [f"H{head}" for head in range(heads)], [f"L{layer}" for layer in seen.stack.layers]
    rows, cols = names if across else names[::-1]

    def choose(cell: Selection) -> None:
        place, head = (cell.col, cell.row) if across else cell
        if head < seen.stack.calls[place].heads:
            state.look(layer=seen.stack.layers[place], head=head)

    unmeasured = np.isnan(values)
    follows = seen.token is not None
    target, unit = _target(seen), "bits" if follows else "turned"
    at = (seen.stack.row, seen.stack.head)
    matrix(
        matrix_data(
            np.nan_to_num(values),
            rows,
            cols,
            title=t(f"cause.scan.grid_{unit}", target=target),
            text=words(
                "matrix",
                label=t("cause.scan.label"),
                tip="{row} {col}   {value}",
                masked=t("cause.scan.unmeasured"),
            ),
            scale="signed" if follows else "weights",
            limit=STRONG if follows else None,
            mask=~unmeasured if bool(unmeasured.any()) else None,
            selected=at[::-1] if across else at,
            height=250,
            channel="cause_grid",
        ),
        key=f"cause_grid_{'_'.join(seen.stack.name)}",
        on_select=choose,
    )
    st.html(f'<p class="am-small">{t(f"cause.scan.legend_{unit}", target=escape(target))}</p>')


def _scatter(seen: Seen, found: Scan, weights: Tensor) -> None:
    """One point per head: its attention to the right, its effect upwards."""
    from plotly.graph_objs import Scatter

    colours = charts.colours()
    looks, effects = weights.flatten(), found.effects.flatten()
    there = ~effects.isnan()
    heads = found.effects.shape[1]
    names = [f"L{layer} H{head}" for layer in seen.stack.layers for head in range(heads)]
    chosen = seen.stack.row * heads + seen.stack.head
    shown = [n for n in range(len(effects)) if bool(there[n]) and n != chosen]
    shown += [chosen] if bool(there[chosen]) else []  # drawn last, above the others
    unit = "bits" if seen.token is not None else "turned"
    chart = charts.figure(
        t("cause.scan.scatter"), t(f"cause.scan.scatter_y_{unit}"), height=290, x=t("cause.scan.scatter_x")
    )
    chart.add_trace(
        Scatter(
            x=[float(looks[n]) for n in shown],
            y=[float(effects[n]) for n in shown],
            text=[names[n] for n in shown],
            mode="markers",
            marker={
                "size": [11 if n == chosen else 6 for n in shown],
                "color": [colours.weights if n == chosen else colours.mute for n in shown],
                "opacity": [1.0 if n == chosen else 0.55 for n in shown],
            },
            hovertemplate="%{text}<br>%{x:.2f} · %{y:.3f}<extra></extra>",
        )
    )
    chart.add_hline(y=0, line={"color": colours.hair, "width": 1})
    chart.update_xaxes(range=[-0.03, 1.03], title={"standoff": 10})
    charts.draw(chart, "cause_scatter")
