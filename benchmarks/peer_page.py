"""The stage's peer: the same matrices as a Plotly heatmap on a Streamlit page, changed by buttons.

A click on a cell of a Plotly heatmap does not reach Python, so a button moves the mark. `?n=64` sets the length.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import plotly.graph_objects as go  # noqa: E402
import streamlit as st  # noqa: E402
import torch  # noqa: E402

from benchmarks.sentences import sentence  # noqa: E402
from models.build import build  # noqa: E402
from models.settings import PRESETS, Mask  # noqa: E402
from models.trace import Trace  # noqa: E402

PRINTED = 16  # tokens up to which the numbers stand in the cells, as on the stage


@st.cache_resource(max_entries=8, show_spinner=False)
def trace_of(tokens: int, mask: Mask) -> Trace:
    torch.set_num_threads(1)
    return build(replace(PRESETS["animal"], text=sentence(tokens), mask=mask))


def presses(name: str) -> int:
    """A button; how often it has been pressed."""
    key = f"presses.{name}"
    st.session_state.setdefault(key, 0)
    if st.button(name, key=name):
        st.session_state[key] += 1
    return int(st.session_state[key])


def heatmap(trace: Trace, step: str, i: int, j: int) -> go.Figure:
    values = trace[step].value[0].numpy()
    printed = "%{z:.2f}" if len(values) <= PRINTED else None
    figure = go.Figure(go.Heatmap(z=values, colorscale="Purples", texttemplate=printed))
    figure.add_shape(type="rect", x0=j - 0.5, x1=j + 0.5, y0=i - 0.5, y1=i + 0.5)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(title=f"{step} {i}, {j}: {values[i, j]:.4f}", width=640, height=640)
    return figure


tokens = int(st.query_params.get("n", "12"))
with st.container(horizontal=True):
    words, cell, step, mask = (presses(name) for name in ("words", "cell", "step", "setting"))
with st.container(key="answer"):
    st.text(f"pressed {words}")
shown = trace_of(tokens, "causal" if mask % 2 else "none")
picture = heatmap(shown, "scores" if step % 2 else "weights", 1 + cell % 2, 0)
st.plotly_chart(picture, key="picture", width="content")
