"""One component with one case of cases.py: `?show=matrix&case=looks`. Started by `streamlit run`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402

from components.architecture import TEXT_KEYS as ARCHITECTURE_TEXT  # noqa: E402
from components.architecture import Attention, Tower, architecture, architecture_data  # noqa: E402
from components.curve import TEXT_KEYS as CURVE_TEXT  # noqa: E402
from components.curve import CurvePanel, Line, curve, curve_data  # noqa: E402
from components.encoding import TEXT_KEYS as ENCODING_TEXT  # noqa: E402
from components.encoding import Wave, encoding, encoding_data  # noqa: E402
from components.head_grid import encode_heads, head_grid, head_grid_data, strongest_links  # noqa: E402
from components.matrix import matrix, matrix_data  # noqa: E402
from components.plane import TEXT_KEYS as PLANE_TEXT  # noqa: E402
from components.plane import Arrow, Panel, plane, plane_data  # noqa: E402
from components.token_links import token_links, token_links_data  # noqa: E402
from components.value_grid import TEXT_KEYS, Cell, value_grid, value_grid_data  # noqa: E402
from tests.browser.painted import cases  # noqa: E402
from tests.browser.painted.cases import HEADS, LINKS, MATRICES, TOKENS, VALUES  # noqa: E402

WORDS: dict[str, Any] = tomllib.loads((ROOT / "app/locales/en.toml").read_text("utf-8"))["components"]


def show_matrix(name: str) -> None:
    case = MATRICES[name]
    words = {**WORDS["matrix"], "label": "a matrix", "tip": "{row} → {col} = {value}"}
    labels = {"row_labels": None, "col_labels": None, "title": "Matrix", "text": words}
    matrix(
        matrix_data(
            case.values,
            **labels,
            scale=case.scale,
            mask=case.mask,
            padded=case.padded,
            height=case.height,
            clickable=False,
        ),
        key="matrix",
    )


def show_heads(name: str) -> None:
    case = HEADS[name]
    heads, queries, keys = case.weights.shape
    table: dict[str, Any] = {}
    if case.layers:
        columns = heads // case.layers
        table = {
            "columns": columns,
            "row_names": [f"L{n}" for n in range(case.layers)],
            "column_names": [f"H{n}" for n in range(columns)],
        }
    head_grid(
        head_grid_data(
            encode_heads(case.weights, case.mask),
            [f"H{n}" for n in range(heads)],
            keys=keys,
            strongest=strongest_links(case.weights),
            row_tokens=[str(n) for n in range(queries)],
            col_tokens=[str(n) for n in range(keys)],
            text={**WORDS["head_grid"], "pooled": ""},
            height=260,
            **table,
        ),
        key="heads",
    )


def show_links(name: str) -> None:
    case = LINKS[name]
    heads, queries, keys = case.weights.shape
    token_links(
        token_links_data(
            case.weights,
            TOKENS[:queries],
            TOKENS[:keys],
            names=[f"Head {n}" for n in range(heads)],
            active=0,
            text=WORDS["token_links"],
            pinned=case.pinned,
            padded=case.padded,
            height=260,
            clickable=False,
        ),
        key="links",
    )


def show_values(name: str) -> None:
    case = VALUES[name]
    cells = [Cell(f"H{n}", value, f"{value:.2f}", "") for n, value in enumerate(case["values"])]
    columns = case["columns"]
    value_grid(
        value_grid_data(
            cells,
            columns=columns,
            row_names=[f"L{n}" for n in range(len(cells) // columns)],
            column_names=[f"H{n}" for n in range(columns)],
            text={name: name for name in TEXT_KEYS},
            selected=0,
            top=case["top"],
            height=200,
        ),
        key="values",
    )


def show_encoding(_: str) -> None:
    values = cases.ENCODED
    encoding(
        encoding_data(
            values,
            [Wave(dimension, values[:, dimension]) for dimension in cases.WAVES],
            length=len(values),
            dimensions=values.shape[1],
            steps=(1, 1),
            text={name: name for name in ENCODING_TEXT},
        ),
        key="encoding",
    )


def show_curve(_: str) -> None:
    losses = [Line(hue, values, hue=hue) for hue, values in cases.LOSSES.items()]  # type: ignore[arg-type]
    curve(
        curve_data(
            cases.STEPS,
            [
                CurvePanel("Loss", losses),
                CurvePanel("Share", [Line("share", cases.SHARES, hue="w", share=True)]),
            ],
            snapshots=cases.SNAPSHOTS,
            chosen=20,
            text={name: name for name in CURVE_TEXT},
            height=360,
        ),
        key="curve",
    )


def show_plane(_: str) -> None:
    arrows = [Arrow(x, y, hue, label) for label, x, y, hue in cases.ARROWS]  # type: ignore[arg-type]
    plane(plane_data([Panel(arrows, cases.REACH)], text={name: name for name in PLANE_TEXT}), key="plane")


def show_architecture(_: str) -> None:
    places = {
        name: Attention(name, name, "", "", name, weights, mask, cross=name == "cross")
        for name, (weights, mask) in cases.PLACES.items()
    }
    encoder = Tower("Encoder", 1, [places["encoder"]], TOKENS[:6])
    decoder = Tower("Decoder", 1, [places["decoder"], places["cross"]], TOKENS[:6])
    words = {name: name for name in ARCHITECTURE_TEXT} | {"times": "{count}"}
    architecture(
        architecture_data(encoder, decoder, chosen="cross", corner=["corner"], text=words), key="architecture"
    )


SHOWN = {
    "architecture": show_architecture,
    "encoding": show_encoding,
    "curve": show_curve,
    "plane": show_plane,
    "matrix": show_matrix,
    "heads": show_heads,
    "links": show_links,
    "values": show_values,
}
st.set_page_config(layout="wide")
SHOWN[st.query_params["show"]](st.query_params["case"])
