"""Charts of the laboratories: Plotly in the house style, in the colours of the page that the reader has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from components.theme import Theme, styled, theme

if TYPE_CHECKING:
    from plotly.graph_objs import Figure

_SANS = "Source Sans, sans-serif"
_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


def is_dark() -> bool:
    """Whether the reader's page is dark; outside a browser (tests) it is not."""
    return st.context.theme.type == "dark"


def colours() -> Theme:
    """The colours in force on the reader's page."""
    return theme(is_dark())


def figure(title: str, subtitle: str, *, height: int, x: str, **layout: Any) -> Figure:
    """An empty chart: `title` says what is seen, `subtitle` what is drawn upwards, `x` what is drawn to the right.
    `layout` are more of Plotly's own settings."""
    from plotly.graph_objs import Figure  # costs half a second: only where a chart is drawn

    chart = styled(Figure(), is_dark())
    small = f"<span style='font-size:12px;font-family:{_SANS};color:{colours().mute}'>{subtitle}</span>"
    chart.add_annotation(
        text=f"{title}<br>{small}",
        font={**chart.layout.template.layout.title.font.to_plotly_json(), "size": 15},
        align="left",
        showarrow=False,
        **{
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 2,
        },
    )
    return chart.update_layout(
        height=height,
        margin={"l": 38, "r": 18, "t": 46, "b": 36},
        xaxis_title={"text": x, "standoff": 4},
        showlegend=False,
        **layout,
    )


def draw(chart: Figure, key: str) -> None:
    """Show it as wide as its column. `key` must be unique on the page."""
    st.plotly_chart(chart, theme=None, key=key, config=_CONFIG)


def powers_of_two(largest: int) -> dict[str, Any]:
    """A logarithmic axis from 1 to `largest` whose ticks are powers of four, written out."""
    from math import log10

    ticks = [4**p for p in range(12) if 4**p <= largest]
    return {
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:,}" for tick in ticks],
        "range": [-0.05, log10(largest) + 0.05],
    }
