"""The four charts of the laboratory on cost: operations by the formula, time and memory as measured, gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.i18n import t
from app.labs import charts
from app.labs.cost.cost import DISTANCES, Samples
from models.cost import Sizes, table
from models.layers import MEASURED
from models.stopwatch import Sample

if TYPE_CHECKING:
    from plotly.graph_objs import Figure

HEIGHT = 272
LONGEST = 4096
LENGTHS = tuple(2**p for p in range(LONGEST.bit_length()))
COLOURS = {
    "attention": "weights",
    "fused": "weights",
    "recurrent": "key",
    "lstm": "key",
    "rnn": "key",
    "convolutional": "value",
    "restricted": "query",
}
DOTTED = ("fused", "rnn")


def operations(sizes: Sizes) -> Figure:
    """The formulas of the table over n."""
    chart = _over_lengths("operations", sizes.n, LENGTHS[0], LONGEST)
    rows = [table(replace(sizes, n=n)) for n in LENGTHS]
    for index, row in enumerate(rows[0]):
        if row.layer in COLOURS:  # a dilated convolution has the same number of operations as a plain one
            _line(chart, row.layer, LENGTHS, [r[index].operations for r in rows], "%{x:,}: %{y:.3s}")
    return chart


def time(samples: Samples, sizes: Sizes, largest: int) -> Figure:
    """Milliseconds: the median, with the fastest and the slowest run as a bar."""
    chart = _over_lengths("time", sizes.n, 32, largest)
    for name, found in _by_layer(samples).items():
        lengths, median = [s.sizes.n for s in found], [1e3 * s.median for s in found]
        _line(chart, name, lengths, median, "%{x:,}: %{y:.3g} ms")
        chart.data[-1].error_y = {
            "type": "data",
            "symmetric": False,
            "array": [1e3 * (s.slowest - s.median) for s in found],
            "arrayminus": [1e3 * (s.median - s.fastest) for s in found],
            "thickness": 1,
            "width": 2,
        }
    return chart if samples else _not_yet(chart)


def memory(samples: Samples, sizes: Sizes, largest: int) -> Figure:
    """Megabytes at the peak of one forward pass."""
    chart = _over_lengths("memory", sizes.n, 32, largest)
    for name, found in _by_layer(samples).items():
        peaks = [s.memory / 1e6 for s in found]
        _line(chart, name, [s.sizes.n for s in found], peaks, "%{x:,}: %{y:.3g} MB")
    return chart if samples else _not_yet(chart)


def gradient(curves: Mapping[str, Sequence[float]]) -> Figure:
    """‖∂output_N/∂input_1‖ over the distance."""
    chart = charts.figure(
        t("lab.cost.gradient_title"), t("lab.cost.gradient_drawn"), height=HEIGHT, x=t("lab.cost.distance")
    )
    chart.update_xaxes(**charts.powers_of_two(DISTANCES[-1]))
    chart.update_yaxes(type="log", exponentformat="power", nticks=7)
    for name, norms in curves.items():
        _line(chart, name, DISTANCES, norms, "%{x:,}: %{y:.2e}")
    return chart


def _over_lengths(name: str, n: int, shortest: int, longest: int) -> Figure:
    title, drawn = t(f"lab.cost.{name}_title"), t(f"lab.cost.{name}_drawn")
    chart = charts.figure(title, drawn, height=HEIGHT, x="n")
    axis = charts.powers_of_two(longest)
    chart.update_xaxes(**axis | {"range": [math.log10(shortest) - 0.05, axis["range"][1]]})
    chart.update_yaxes(type="log", exponentformat="power", dtick=1)
    if shortest <= n <= longest:
        chart.add_vline(x=n, line={"color": charts.colours().mute, "width": 1, "dash": "dash"})
    return chart


def _line(chart: Figure, name: str, x: Sequence[int], y: Sequence[float], hover: str) -> None:
    colour = getattr(charts.colours(), COLOURS[name])
    chart.add_scatter(
        x=list(x),
        y=list(y),
        mode="lines+markers",
        marker={"color": colour, "size": 4},
        line={"color": colour, "width": 2, "dash": "dot" if name in DOTTED else "solid"},
        hovertemplate=f"{t(f'lab.cost.layer.{name}')}, {hover}<extra></extra>",
    )


def _by_layer(samples: Samples) -> dict[str, list[Sample]]:
    """The samples of each layer that has some, short sentences first."""
    ordered = sorted(samples.values(), key=lambda sample: sample.sizes.n)
    found = {name: [sample for sample in ordered if sample.layer == name] for name in MEASURED}
    return {name: listed for name, listed in found.items() if listed}


def _not_yet(chart: Figure) -> Figure:
    chart.add_annotation(
        text=t("lab.cost.not_yet"),
        showarrow=False,
        font={"color": charts.colours().mute},
        **{"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"},
    )
    return chart.update_yaxes(range=[-1, 2])
