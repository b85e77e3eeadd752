"""Arrows in a plane: several small planes to look at, or one whose arrows are dragged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from components.bundle import script, style
from components.registered import component, said

Hue = Literal["x", "q", "k", "v", "w"]

TEXT_KEYS = ("label", "hint", "moved")

_COMPONENT = component(
    "am_plane",
    html='<div class="am am-plane"><canvas tabindex="0" role="application"></canvas><div class="readout"></div>'
    '<div class="hint"></div><div class="sr live" aria-live="polite"></div></div>',
    css=style("plane/plane.css"),
    js=script("plane/plane.js"),
)


@dataclass(frozen=True)
class Arrow:
    """From the origin to (x, y). A `faint` one is drawn thin, a `drag` name makes its tip a handle."""

    x: float
    y: float
    hue: Hue = "x"
    label: str = ""
    faint: bool = False
    drag: str = ""
    strength: float = 1.0


@dataclass(frozen=True)
class Panel:
    """One plane, from −reach to reach in both directions (upwards only to `tall`, if given).

    With `angle` the angle between its first two arrows that are not faint is drawn, and the second one's shadow on the
    first. `dots` are points without an arrow, of the hue given with them; `axes` name the two directions.
    """

    arrows: Sequence[Arrow]
    reach: float
    title: str = ""
    angle: bool = False
    dots: Sequence[tuple[float, float, Hue]] = ()
    axes: tuple[str, str] = ("", "")
    tall: float | None = None


def plane_data(
    panels: Sequence[Panel],
    *,
    text: Mapping[str, str],
    height: int = 420,
    readout: bool = False,
) -> dict[str, Any]:
    """What the browser draws of the panels, in one or more rows.

    With `readout` the lengths of the first panel's first two arrows, the cosine of their angle and their product stand
    below and follow the hand. `text` needs TEXT_KEYS; "moved" has the places {name}, {x} and {y}.
    """
    data: dict[str, Any] = {
        "panels": [_panel(panel) for panel in panels],
        "height": height,
        "readout": readout,
        "text": {name: text[name] for name in TEXT_KEYS},
    }
    return data


def plane(
    data: Mapping[str, Any], *, key: str, on_drag: Callable[[str, float, float], None] | None = None
) -> None:
    """Draw what `plane_data` made. `on_drag` is called with an arrow's `drag` name and its new tip, before the page
    runs again; nothing is sent while it moves."""
    names = {
        arrow["drag"]: panel["reach"]
        for panel in data["panels"]
        for arrow in panel["arrows"]
        if arrow["drag"]
    }

    def changed() -> None:
        dropped = parse_drag(said(key, "drag"), names)
        if dropped and on_drag:
            on_drag(*dropped)

    _COMPONENT(key=key, data=data, on_drag_change=changed)


def parse_drag(payload: object, reach: Mapping[str, float]) -> tuple[str, float, float] | None:
    """What a browser reported, or None if that is no arrow of ours within its plane."""
    if not isinstance(payload, Mapping) or payload.get("name") not in reach:
        return None
    x, y = payload.get("x"), payload.get("y")
    limit = reach[payload["name"]] * 1.001
    for value in (x, y):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -limit <= value <= limit:
            return None
    return str(payload["name"]), float(x), float(y)  # type: ignore[arg-type]


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "title": panel.title,
        "reach": panel.reach,
        "tall": panel.reach if panel.tall is None else panel.tall,
        "angle": panel.angle,
        "axes": list(panel.axes),
        "dots": [list(dot) for dot in panel.dots],
        "arrows": [
            {
                "x": arrow.x,
                "y": arrow.y,
                "hue": arrow.hue,
                "label": arrow.label,
                "faint": arrow.faint,
                "drag": arrow.drag,
                "strength": arrow.strength,
            }
            for arrow in panel.arrows
        ],
    }
