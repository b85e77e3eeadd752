"""Colours, number formats and the chart template of the house style, for everything that is not drawn in JavaScript.

The numbers follow the same rules as `frontend/lib/numbers.js` and the hues are those of `frontend/lib/base.css`; tests
hold both pairs together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objs import Figure
    from plotly.graph_objs.layout import Template

MINUS = "\u2212"
INFINITY = "\u221e"


@dataclass(frozen=True)
class Theme:
    """The colours in force: `query` … `weights` say which matrix, `positive` and `negative` the sign of a value."""

    paper: str
    ink: str
    mute: str
    hair: str
    query: str
    key: str
    value: str
    weights: str
    positive: str
    negative: str


LIGHT = Theme(
    paper="#fdfcf9",
    ink="#1d2129",
    mute="#666970",
    hair="#dedddb",
    query="#2157c4",
    key="#b35006",
    value="#0b7566",
    weights="#7436b0",
    positive="#146e96",
    negative="#c42a5c",
)
DARK = Theme(
    paper="#14161b",
    ink="#e8e6e1",
    mute="#979797",
    hair="#32343a",
    query="#86b4ff",
    key="#ffae66",
    value="#58d3b8",
    weights="#cda6ff",
    positive="#4fb3dd",
    negative="#ff7aa5",
)

# One colour per head. Twelve hues cannot all be told apart by every eye, so neighbours also differ in lightness and
# every view that uses them isolates a head when it is pointed at.
HEADS_LIGHT = (
    "#1c6fb8",
    "#a8500a",
    "#00796b",
    "#b3267a",
    "#5c4db1",
    "#7a6200",
    "#0c7d96",
    "#c0392b",
    "#3f7d1c",
    "#59626f",
    "#8e44a0",
    "#7d4b32",
)
HEADS_DARK = (
    "#6db3f2",
    "#f5a25d",
    "#4fd1b5",
    "#f286c0",
    "#ab9df2",
    "#dcc04e",
    "#5fd0e6",
    "#ff8a7a",
    "#9ed36a",
    "#b3bcc8",
    "#d69be6",
    "#cfa088",
)


def theme(dark: bool) -> Theme:
    """The colours of the light or the dark page."""
    return DARK if dark else LIGHT


def head_palette() -> dict[str, list[str]]:
    """The colours of twelve heads, light and dark, as the components' JavaScript expects them; then they come round."""
    return {"light": list(HEADS_LIGHT), "dark": list(HEADS_DARK)}


def num(value: float, digits: int = 2) -> str:
    """A number with a fixed count of decimals: "0.42", "−1.30", "−∞", "NaN"; 1e6 and more in powers of ten."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return (MINUS if value < 0 else "") + INFINITY
    size = abs(value)
    text = _exponential(size) if size >= 1e6 else _fixed(size, digits)
    return (MINUS if value < 0 and Decimal(text) != 0 else "") + text


def cell_number(value: float, digits: int = 2) -> str:
    """As `num`, but an exact zero is "0" while a rounded one stays "0.00"."""
    return "0" if value == 0 else num(value, digits)


def short_number(value: float, digits: int = 2) -> str:
    """The same without the zero before the point: ".42", "−.42"."""
    text = cell_number(value, digits)
    sign, size = (MINUS, text[1:]) if text.startswith(MINUS) else ("", text)
    return sign + (size[1:] if size.startswith("0.") else size)


def factor(value: float, digits: int = 2) -> str:
    """A factor of a product: negative ones in brackets."""
    return f"({num(value, digits)})" if value < 0 else num(value, digits)


def percent(share: float) -> str:
    """A share as a percentage: "30 %", "0.4 %"; what is no number is named without a sign."""
    if not math.isfinite(share):
        return num(share)
    return f"{_fixed(share * 100 + 0.0, 1 if 0 < share < 0.01 else 0)} %"  # + 0.0: never "-0"


def count(number: int) -> str:
    """A whole number with its thousands apart: "1,048,576"."""
    return f"{number:,}"


def _fixed(size: float, digits: int) -> str:
    # JavaScript's toFixed rounds the exact binary value and a tie upwards; Python's format would round a tie to even
    return f"{Decimal(size).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def _exponential(size: float) -> str:
    with localcontext() as context:
        context.prec = (
            800  # a float has at most 767 significant decimal digits: nothing is rounded before the end
        )
        exact = Decimal(size)
        power = exact.adjusted()
        mantissa = exact.scaleb(-power).quantize(Decimal("0.1"), ROUND_HALF_UP)
        if mantissa >= 10:
            mantissa, power = Decimal("1.0"), power + 1
    return f"{mantissa}e{power}"


def plotly_template(dark: bool) -> Template:
    """A Plotly template in the house style: paper background, hairline grid, no zero line, serif title."""
    from plotly.graph_objs import Layout  # costs half a second: only where a chart is drawn
    from plotly.graph_objs.layout import Template

    colours = theme(dark)
    axis = {
        "gridcolor": colours.hair,
        "linecolor": colours.hair,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": colours.hair,
        "title": {"font": {"color": colours.mute, "size": 13}},
        "tickfont": {"color": colours.mute, "size": 12},
    }
    return Template(
        layout=Layout(
            paper_bgcolor=colours.paper,
            plot_bgcolor=colours.paper,
            font={"family": '"Source Sans", "Source Sans 3", sans-serif', "color": colours.ink, "size": 13},
            title={
                "font": {"family": '"Source Serif", "Source Serif 4", Georgia, serif', "size": 19},
                "x": 0,
            },
            colorway=[
                colours.weights,
                colours.query,
                colours.key,
                colours.value,
                colours.negative,
                colours.mute,
            ],
            margin={"l": 52, "r": 16, "t": 36, "b": 44},
            hoverlabel={"bgcolor": colours.ink, "font": {"color": colours.paper}},
            xaxis=axis,
            yaxis=axis,
        )
    )


def styled(figure: Figure, dark: bool) -> Figure:
    """The figure in the house style; show it with `st.plotly_chart(figure, theme=None)`."""
    return figure.update_layout(template=plotly_template(dark))
