"""Which of the sidebar's controls a page about a sentence uses: what does nothing there is not shown there."""

from __future__ import annotations

from app import state

CONTROLS = frozenset(
    {
        "text",
        "hidden",
        "d_model",
        "heads",
        "position",
        "mask",
        "head",
        "cut",
        "d_k",
        "d_v",
        "seed",
        "temperature",
    }
)  # the fields of the settings, and the head that is looked at
_UNUSED = {
    "position": {
        "position",
        "d_v",
        "temperature",
    },  # the laboratory adds positions itself and stops at the scores
    "order": {"position", "head"},  # likewise; outputs are those of all heads
    "scale": {"hidden", "mask", "d_v", "temperature"},  # it looks at scores before a mask
    "geometry": {"d_v"},
    "cost": CONTROLS,  # random numbers of any size
}


def used_controls(path: str) -> frozenset[str]:
    """The controls that change something on the page at this address."""
    if path == "geometry" and state.lab("g_source") == "free":
        return frozenset()  # two arrows in the plane, drawn by hand
    return CONTROLS - _UNUSED.get(path, set())
