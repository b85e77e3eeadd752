"""The sentence's tokens as buttons; pressing one hides it as padding, pressing it again brings it back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

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


def token_strip(
    labels: Sequence[str],
    *,
    hidden: Collection[int],
    text: Mapping[str, str],
    key: str,
    on_toggle: Callable[[int], None] | None = None,
) -> None:
    """Draw the tokens.

    `hidden` are the indices shown as hidden. `text` needs "label" (of the group), "hide" and "show" (what pressing a
    visible or a hidden token does). `on_toggle` is called with the index of a token that was pressed, before the
    page runs again.
    """
    data = {
        "labels": list(labels),
        "hidden": sorted(hidden),
        "text": {name: text[name] for name in TEXT_KEYS},
    }

    def changed() -> None:
        index = whole_number(said(key, "toggle"), len(labels))
        if index is not None and on_toggle:
            on_toggle(index)

    _COMPONENT(key=key, data=data, on_toggle_change=changed)
