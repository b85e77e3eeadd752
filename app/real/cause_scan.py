"""The same change in every head of the stack: a grid of effects, and attention against effect."""

from __future__ import annotations

from collections.abc import Hashable
from html import escape

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from app import state
from app.i18n import t, words
from app.lab import charts
from app.real.cause import Seen, plain
from app.real.cause_answer import bold, looked_at, positions, query
from app.real.headline import open_link
from app.real.kept import Kept
from components.matrix import Selection, matrix
from components.theme import num
from models.interventions.scan import Question, Scan, begin, go_on

SECONDS = 45.0  # of one go: then what is there is shown, and the reader may go on
SCANS_KEPT = 24
QUICK = 8_000  # heads × tokens that are scanned without being asked again: a few seconds
STRONG = 2.0  # bits at which the colour is full: a quarter of the probability
TURNED = 0.05  # the same for a vector that turns
MUCH, LITTLE = 0.5, 0.1  # attention that is much; bits that are little


def show_scan(seen: Seen) -> None:
    """A button, and what it found."""
    calls = seen.stack.calls
    heads = sum(call.heads for call in calls)
    if not _wanted(seen):
        with st.container(horizontal=True, vertical_alignment="center", key="cause_scan_offer"):
            st.button(
                t("cause.scan.button", heads=heads),
                key="am.cause_scan",
                icon=":material/grid_on:",
                on_click=_want,
                args=(_name_of(seen),),
            )
            st.html(f'<p class="am-small">{t(f"cause.scan.offer.{seen.what}")}</p>')
            open_link("model_head", t("real.open_head"), ":material/zoom_in:")
        return
    found = _scanned(seen)
    heading = t(f"cause.scan.title.{seen.what}")
    said = _summary(seen, found) + t("cause.scan.sep") + _most(seen, found)
    st.html(f'<h2>{heading}</h2><p class="am-small">{said}</p>')
    if not found.complete:
        with st.container(horizontal=True, vertical_alignment="center", key="cause_scan_part"):
            st.html(f'<p class="am-small">{t("cause.scan.part", done=found.measured, heads=found.heads)}</p>')
            st.button(
                t("cause.scan.more"), key="am.cause_more", on_click=_ask_for_more, args=(_name_of(seen),)
            )
    left, right = st.columns([1.55, 1], gap="medium")
    with left:
        _grid(seen, found)
    with right:
        _scatter(seen, found)


def _want(name: Hashable) -> None:
    state.turn(x_scan=True)
    state.scratch("cause").setdefault("wanted", set()).add(name)


def _wanted(seen: Seen) -> bool:
    """A scan that was asked for; of another edge too if that is quick, but a link starts no long one by itself."""
    if not state.lab("x_scan"):
        return False
    size = sum(call.heads * call.queries for call in seen.stack.calls)
    return size <= QUICK or _name_of(seen) in state.scratch("cause").get("wanted", set())


def question_of(seen: Seen) -> Question:
    """What is asked of every head."""
    edge = (seen.stack.i, seen.stack.j)
    return Question(seen.what, seen.position, seen.token, *edge, seen.besides)


def _ask_for_more(name: Hashable) -> None:
    goes = state.scratch("cause").setdefault("goes", {})
    goes[name] = goes.get(name, 0) + 1


def _scanned(seen: Seen) -> Scan:
    """The scan that was kept, or a new one; and as much more of it as was asked for."""
    asked, name = question_of(seen), _name_of(seen)
    found = _kept().get((name, 0), lambda: _run(seen, begin(seen.stack.calls), asked))
    for go in range(1, state.scratch("cause").get("goes", {}).get(name, 0) + 1):
        before = found
        found = before if before.complete else _kept().get((name, go), lambda: _run(seen, before, asked))  # noqa: B023
    return found


def _name_of(seen: Seen) -> Hashable:
    """Names a scan in caches: whatever changes its numbers."""
    asked = question_of(seen)
    edge = (asked.query, asked.key) if asked.what == "edge" else ()
    return (seen.now.key, seen.stack.name, asked.what, asked.position, asked.token, asked.besides, *edge)


def _run(seen: Seen, scan: Scan, asked: Question) -> Scan:
    place = st.empty()
    text = t("cause.scan.running")
    bar = place.progress(scan.measured / scan.heads, text)
    found = go_on(
        scan,
        seen.subject,
        seen.stack.calls,
        asked,
        seconds=SECONDS,
        report=lambda share: bar.progress(share, text),
    )
    place.empty()
    return found


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Scan]:
    return Kept(SCANS_KEPT)


def attention(seen: Seen) -> Tensor:
    """Layers × heads: how much each head looks from the chosen query at the chosen key; NaN where there is no head."""
    found = torch.full((len(seen.stack.calls), seen.stack.most_heads), torch.nan)
    row = torch.tensor([seen.stack.i])
    for layer, call in enumerate(seen.stack.calls):
        for head in range(call.heads):
            found[layer, head] = call.weights(head, rows=row)[0, seen.stack.j]
    return found


def _summary(seen: Seen, found: Scan) -> str:
    """How many heads look much at the key, and in how many of them that matters."""
    weights, effects = attention(seen), found.effects
    looking = (weights >= MUCH) & ~effects.isnan()
    kind, least = ("bits", LITTLE) if seen.token is not None else ("turned", TURNED / 10)
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


def _most(seen: Seen, found: Scan) -> str:
    """The head that matters most."""
    most = int(found.effects.nan_to_num(0).abs().argmax())
    layer, head = divmod(most, found.effects.shape[1])
    size, weight = float(found.effects[layer, head]), float(attention(seen)[layer, head])
    kind, digits = ("bits", 2) if seen.token is not None else ("turned", 4)
    return t(
        f"cause.scan.most_{kind}",
        layer=layer,
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
    names = [f"H{head}" for head in range(heads)], [f"L{layer}" for layer in range(layers)]
    rows, cols = names if across else names[::-1]

    def choose(cell: Selection) -> None:
        layer, head = (cell.col, cell.row) if across else cell
        if head < seen.stack.calls[layer].heads:
            state.look(layer=layer, head=head)

    unmeasured = np.isnan(values)
    follows = seen.token is not None
    target, unit = _target(seen), "bits" if follows else "turned"
    at = (seen.stack.layer, seen.stack.head)
    matrix(
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
        key=f"cause_grid_{'_'.join(seen.stack.name)}",
        scale="signed" if follows else "weights",
        limit=STRONG if follows else None,
        mask=~unmeasured if bool(unmeasured.any()) else None,
        selected=at[::-1] if across else at,
        height=250,
        channel="cause_grid",
        on_select=choose,
    )
    st.html(f'<p class="am-small">{t(f"cause.scan.legend_{unit}", target=escape(target))}</p>')


def _scatter(seen: Seen, found: Scan) -> None:
    """One point per head: its attention to the right, its effect upwards."""
    from plotly.graph_objs import Scatter

    colours = charts.colours()
    weights, effects = attention(seen).flatten(), found.effects.flatten()
    there = ~effects.isnan()
    heads = found.effects.shape[1]
    names = [f"L{n // heads} H{n % heads}" for n in range(len(effects))]
    chosen = seen.stack.layer * heads + seen.stack.head
    shown = [n for n in range(len(effects)) if bool(there[n]) and n != chosen]
    shown += [chosen] if bool(there[chosen]) else []  # drawn last, above the others
    unit = "bits" if seen.token is not None else "turned"
    chart = charts.figure(
        t("cause.scan.scatter"), t(f"cause.scan.scatter_y_{unit}"), height=290, x=t("cause.scan.scatter_x")
    )
    chart.add_trace(
        Scatter(
            x=[float(weights[n]) for n in shown],
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
