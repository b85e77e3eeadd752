"""The sentence's tokens as buttons; pressing one hides it as padding, pressing it again brings it back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said

TEXT_KEYS = ("label", "hide", "show")

_COMPONENT = component(
    "am_token_strip",
    html='<div class="am am-token-strip" role="group"></div>',
    css=style("token_strip/token_strip.css"),
    js=script("token_strip/token_strip.js"),
)


def token_strip_data(
    labels: Sequence[str],
    *,
    hidden: Collection[int],
    text: Mapping[str, str],
) -> dict[str, Any]:
    """What the browser draws of the tokens.

    `hidden` are the indices shown as hidden. `text` needs "label" (of the group), "hide" and "show" (what pressing a
    visible or a hidden token does).
    """
    return {
        "labels": list(labels),
        "hidden": sorted(hidden),
        "text": {name: text[name] for name in TEXT_KEYS},
    }


def token_strip(data: Mapping[str, Any], *, key: str, on_toggle: Callable[[int], None] | None = None) -> None:
    """Draw what `token_strip_data` made. `on_toggle` is called with the index of a token that was pressed."""
    count = len(data["labels"])

    def changed() -> None:
        index = whole_number(said(key, "toggle"), count)
        if index is not None and on_toggle:
            on_toggle(index)

    _COMPONENT(key=key, data=data, on_toggle_change=changed)
