"""What the laboratory on cost computes and measures, and where the measurements of a session are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from threading import Lock
from typing import Any

import streamlit as st

from app import state
from app.i18n import t
from app.notice import notice
from models import gradients, growth, stopwatch
from models.cost import Sizes
from models.growth import Growth
from models.layers import MEASURED
from models.stopwatch import Sample

DISTANCES = (1, 2, 4, 8, 16, 32, 64, 128)
GRADIENT_WIDTH = 16  # vectors of the gradients' layers
SEEDS = (1, 2, 3)
GROWN = ("attention", "recurrent")  # layers whose growth is spoken of
LARGEST = ("256", "512", "1024", "2048", "4096")

_ONE_AT_A_TIME = Lock()  # two measurements at once would measure each other

Samples = Mapping[tuple[str, int], Sample]


def sizes() -> Sizes:
    return Sizes(*(state.lab(f"c_{name}") for name in ("n", "d", "k", "r")))


@st.cache_data(max_entries=64, show_spinner=False)
def gradient(kind: str, gain: float) -> tuple[float, ...]:
    """The norms over DISTANCES: the middle one of several untrained layers."""
    runs = [gradients.travelled(kind, DISTANCES, GRADIENT_WIDTH, seed=seed, gain=gain) for seed in SEEDS]
    return tuple(median(norms) for norms in zip(*runs, strict=True))


def gradient_curves() -> dict[str, tuple[float, ...]]:
    """One curve per layer; attention has no recurrent weights, so the gain is not its."""
    gain = state.lab("c_gain")
    return {kind: gradient(kind, 1.0 if kind == "attention" else gain) for kind in gradients.KINDS}


def samples() -> Samples:
    """What this session has measured for the present d, k and r, by layer and length."""
    kept = _kept()
    found: Samples = kept["samples"] if kept.get("of") == _of(sizes()) else {}
    return found


def measure() -> bool:
    """Measure everything anew, with a bar and a way to stop. What was measured until then stays.
    False if somebody else is measuring; that is said on the page."""
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        notice(t("lab.cost.busy"), "busy")
        return False
    try:
        _measure(sizes(), int(state.lab("c_top")))
    finally:  # also if the reader stops it: Streamlit then ends the run at the next change of the bar
        _ONE_AT_A_TIME.release()
    return True


def _measure(of: Sizes, largest: int) -> None:
    found: dict[tuple[str, int], Sample] = {}
    _kept().update(of=_of(of), samples=found)
    bar = st.progress(0.0, text=t("lab.cost.starting"))
    st.button(t("lab.cost.stop"), key="am.cost.stop", icon=":material/stop:")
    total = len(MEASURED) * len(stopwatch.lengths(largest))
    growths: dict[str, Growth] = {}
    _kept().update(growths=growths)
    for sample in stopwatch.run(of, largest):
        found[sample.layer, sample.sizes.n] = sample
        name = t(f"lab.cost.layer.{sample.layer}")
        bar.progress(len(found) / total, text=t("lab.cost.progress", layer=name, n=f"{sample.sizes.n:,}"))
    for layer, n in last_doublings(found):
        bar.progress(1.0, text=t("lab.cost.pairs", layer=t(f"lab.cost.layer.{layer}")))
        growths[layer] = growth.measure(layer, replace(of, n=n))


def last_doublings(samples: Samples) -> list[tuple[str, int]]:
    """The layers whose growth is spoken of, each with the longest n that was measured at 2n too."""
    doubled = {
        layer: [n for name, n in samples if name == layer and (layer, 2 * n) in samples] for layer in GROWN
    }
    return [(layer, max(lengths)) for layer, lengths in doubled.items() if lengths]


def growths() -> Mapping[str, Growth]:
    """How the layers of GROWN grew in the last measurement that this session made for the present d, k and r."""
    kept = _kept()
    found: Mapping[str, Growth] = kept.get("growths", {}) if kept.get("of") == _of(sizes()) else {}
    return found


def _kept() -> dict[str, Any]:
    return state.scratch("lab_cost")


def _of(these: Sizes) -> tuple[int, int, int]:
    return these.d, these.k, these.r
