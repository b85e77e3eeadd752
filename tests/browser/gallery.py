"""A page for test_components.py with every component beside the stage: rare looks, hostile labels.

Started by `streamlit run`; what Python receives is printed under each component.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import streamlit as st  # noqa: E402

from components.head_grid import encode_heads, head_grid, head_grid_data, strongest_links  # noqa: E402
from components.matrix import Group, matrix, matrix_data  # noqa: E402
from components.token_links import token_links, token_links_data  # noqa: E402
from components.token_strip import token_strip, token_strip_data  # noqa: E402

HOSTILE = ["<script>", "$x$", "**b**", ":red[x]", "a_b"]
TOKENS = ["I", "love", "you", "and", "NLP", "."]
WORDS = tomllib.loads((ROOT / "app/locales/en.toml").read_text("utf-8"))["components"]
MATRIX_WORDS = {**WORDS["matrix"], "label": "a matrix", "tip": "{row} → {col} = {value}"}


def softmax_of(shape: tuple[int, ...]) -> np.ndarray:
    """Weights that sum to 1 per row."""
    scores = np.exp(2 * np.random.default_rng(3).standard_normal(shape))
    return scores / scores.sum(axis=-1, keepdims=True)


def looks() -> None:
    """One row: a number, an exact zero, a masked cell, padding, not a number; and one with a chosen cell."""
    values = np.array([[0.25, 0.0, 0.0, 0.0, np.nan], [-1.5, 0.004, 2.0, 1e7, -np.inf]])
    mask = np.ones((2, 5), bool)
    mask[0, 2] = False
    padded = np.zeros((2, 5), bool)
    padded[0, 3] = True
    matrix(
        matrix_data(
            values,
            ["first", "<b>second</b>"],
            HOSTILE,
            title="Looks of <i>cells</i>",
            text=MATRIX_WORDS,
            mask=mask,
            padded=padded,
            limit=2.0,
            height=160,
        ),
        key="looks",
        on_select=lambda chosen: st.session_state.update(called=tuple(chosen)),
    )
    st.text(f"looks: {st.session_state.get('called')}")


def large() -> None:
    values = np.random.default_rng(5).standard_normal((300, 400))
    groups = [Group(f"part {number}", number, 100) for number in range(4)]
    matrix(
        matrix_data(
            values,
            None,
            None,
            title="Large",
            text=MATRIX_WORDS,
            col_groups=groups,
            height=300,
            clickable=False,
        ),
        key="large",
    )


def layers() -> None:
    weights = softmax_of((12, 6, 6))
    head_grid(
        head_grid_data(
            encode_heads(weights),
            [f"L{layer} H{head}" for layer in range(3) for head in range(4)],
            keys=6,
            strongest=strongest_links(weights),
            row_tokens=TOKENS,
            col_tokens=TOKENS,
            text={**WORDS["head_grid"], "pooled": ""},
            selected=0,
            columns=4,
            row_names=["L0", "L1", "L2"],
            column_names=["H0", "H1", "H2", "H3"],
            height=260,
        ),
        key="layers",
        on_select=lambda head: st.session_state.update(head=head),
    )
    st.text(f"layers: {st.session_state.get('head')}")


def links() -> None:
    weights = softmax_of((3, 6, 6))
    weights[0, 5] = np.nan
    weights[:, 4] = 0
    left, right = st.columns(2)
    with left:
        matrix(
            matrix_data(
                weights[0],
                TOKENS,
                TOKENS,
                title="Beside",
                text=MATRIX_WORDS,
                scale="weights",
                height=260,
                channel="gallery",
                clickable=False,
            ),
            key="beside",
        )
    with right:
        token_links(
            token_links_data(
                weights,
                TOKENS,
                TOKENS,
                names=["Head 1", "Head 2", "Head 3"],
                active=1,
                text=WORDS["token_links"],
                height=240,
                channel="gallery",
            ),
            key="links",
            on_pick=lambda token: st.session_state.update(picked=token),
        )
    pick = st.session_state.get("picked")
    st.text(f"links: {(pick.side, pick.index) if pick else None}")


def strip() -> None:
    hidden = st.session_state.setdefault("hidden", {1})
    with st.container(width=264):
        token_strip(
            token_strip_data(
                [*HOSTILE, "a very long token that does not fit into the strip at all"],
                hidden=hidden,
                text=WORDS["token_strip"],
            ),
            key="strip",
            on_toggle=lambda index: st.session_state.update(hidden=hidden ^ {index}),
        )
    st.text(f"hidden: {sorted(st.session_state.hidden)}")


st.set_page_config(layout="wide")
for show in (looks, links, layers, strip, large):
    with st.container(key=f"show_{show.__name__}"):
        show()
