"""Laboratory: why attention, and what it costs."""

from __future__ import annotations

import streamlit as st
import torch

from app import choices, state
from app.i18n import t
from app.labs import charts
from app.labs.cost import charts as cost_charts
from app.labs.cost import cost
from app.labs.cost import words as cost_words
from app.labs.frame import frame
from app.labs.parts import bounds, legend, number_table
from models import cost as costs
from models import gradients, growth, layers, stopwatch
from models.layers import MEASURED

LEGEND = ("attention", "recurrent", "convolutional", "restricted")


def show() -> None:
    frame(
        "cost",
        picture=_picture,
        knobs=_knobs,
        words=_words,
        functions=(
            costs.table,
            stopwatch.measure,
            growth.measure,
            stopwatch.peak_memory,
            layers.RestrictedAttention,
            gradients.last_by_first,
        ),
        step="scores",
        pattern=False,
        below=_below,
    )


def _picture() -> None:
    legend([(cost_charts.COLOURS[name], t(f"lab.cost.layer.{name}")) for name in LEGEND], t("lab.cost.marks"))
    sizes, samples, largest = cost.sizes(), cost.samples(), int(state.lab("c_top"))
    left, right = st.columns(2, gap="small")
    with left:
        charts.draw(cost_charts.operations(sizes), "am.cost.operations")
        charts.draw(cost_charts.memory(samples, sizes, largest), "am.cost.memory")
    with right:
        charts.draw(cost_charts.time(samples, sizes, largest), "am.cost.time")
        charts.draw(cost_charts.gradient(cost.gradient_curves()), "am.cost.gradient")


def _knobs() -> None:
    for names in (("n", "d"), ("k", "r")):
        for place, name in zip(st.columns(2, gap="small"), names, strict=True):
            knob = f"c_{name}"
            place.number_input(t(f"lab.cost.{name}"), step=1, **bounds(knob), **state.bind_knob(knob))
    left, right = st.columns(2, gap="small")
    with left:
        choices.select(t("lab.cost.top"), cost.LARGEST, str, state.knob("c_top"))
    right.number_input(t("lab.cost.gain"), step=0.5, **bounds("c_gain"), **state.bind_knob("c_gain"))
    wanted = st.button(
        t("lab.cost.measure"), key="am.cost.measure", icon=":material/speed:", type="primary", width="stretch"
    )
    if wanted and cost.measure():
        st.rerun()


def _words() -> None:
    st.text(cost_words.about_table(cost.sizes()))
    if grown := cost_words.about_samples(cost.samples(), cost.growths()):
        st.text(grown)
    st.text(cost_words.about_gradient(cost.gradient_curves(), state.lab("c_gain")))


def _below() -> None:
    st.subheader(t("lab.cost.table_title"), anchor=False)
    heads = ("layer_head", "operations_head", "sequential_head", "path_head")
    number_table([t(f"lab.cost.{name}") for name in heads], cost_words.cost_rows(cost.sizes()))
    st.caption(t("lab.cost.table_note"))
    if rows := cost_words.sample_rows(cost.samples()):
        st.subheader(t("lab.cost.measured_title"), anchor=False)
        number_table(["n", *(t(f"lab.cost.layer.{name}") for name in MEASURED)], rows)
    values = {"version": torch.__version__.split("+")[0], "threads": torch.get_num_threads()}
    st.caption(t("lab.cost.honest", repeats=stopwatch.REPEATS, **values))
