"""The one way in which a component is registered and sent its data.

Matrices travel as Arrow columns, in which NaN and ±∞ are numbers like others. Everything else travels as JSON, which
has no word for them: Python would write `NaN`, and the browser's parser would refuse the whole payload. So a number
that is not finite is sent as `{"$number": "NaN"}` and turned back in the browser before the component sees it
(frontend/lib/payload.js).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from components.bundle import FRONTEND
from components.session import peek

_DEFAULT = re.compile(r"^export default function (\w+)", re.MULTILINE)


def component(name: str, *, html: str, js: str, css: str | None = None) -> Callable[..., Any]:
    """A v2 component of this markup, script (one default function) and style; to be called with `data`, `key` and
    callbacks. Raises ValueError for a script without a default function."""
    mount = st.components.v2.component(name, html=html, css=css, js=reviving(js))

    def draw(*, data: object = None, **more: Any) -> Any:
        return mount(data=sendable(data), **more)

    return draw


def said(key: str, event: str) -> object:
    """What the browser said with this event, unchecked, in its callback. None if the component is not there any more:
    a word of a page that has been left may arrive after the next page has drawn a component of the same key."""
    return (peek(key) or {}).get(event)


def sendable(value: Any) -> Any:
    """The data of a component with a word for every number that JSON cannot say; Arrow tables stay as they are."""
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$number": _word(value)}
    if isinstance(value, Mapping):
        return {name: sendable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(part) for part in value]
    return value


def reviving(js: str) -> str:
    """The script with a default function that turns those words back into numbers."""
    match = _DEFAULT.search(js)
    if match is None:
        raise ValueError("a script that says `export default function …` was expected")
    helper = (FRONTEND / "lib/payload.js").read_text("utf-8").replace("export function", "function")
    start = match[1]
    last = f"export default (component) => {start}({{ ...component, data: revivePayload(component.data) }});"
    return "\n".join((helper, js.replace(match[0], f"function {start}", 1), last))


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
