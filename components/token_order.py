"""The sentence's tokens as chips that can be put into another order, by dragging or with the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from components.bundle import script, style
from components.registered import component, said

TEXT_KEYS = ("label", "hint", "moved")

_COMPONENT = component(
    "am_token_order",
    html='<div class="am am-token-order"><div class="chips" role="listbox"></div><div class="hint"></div>'
    '<div class="sr live" aria-live="polite"></div></div>',
    css=style("token_order/token_order.css"),
    js=script("token_order/token_order.js"),
)


def token_order_data(
    labels: Sequence[str],
    order: Sequence[int],
    *,
    text: Mapping[str, str],
) -> dict[str, Any]:
    """What the browser draws of the tokens in `order`, each with the number of its own place.

    `text` needs TEXT_KEYS; "moved" has the places
    {token}, {place} and {last}. Raises ValueError if `order` does not name every label once.
    """
    if sorted(order) != list(range(len(labels))):
        raise ValueError(f"an order of {len(labels)} tokens was expected, received {list(order)}")
    return {"labels": list(labels), "order": list(order), "text": {name: text[name] for name in TEXT_KEYS}}


def token_order(
    data: Mapping[str, Any], *, key: str, on_order: Callable[[tuple[int, ...]], None] | None = None
) -> None:
    """Draw what `token_order_data` made. `on_order` is called with a new order before the page runs again."""
    count = len(data["labels"])

    def changed() -> None:
        found = parse_order(said(key, "order"), count)
        if found is not None and on_order:
            on_order(found)

    _COMPONENT(key=key, data=data, on_order_change=changed)


def parse_order(payload: object, count: int) -> tuple[int, ...] | None:
    """The order a browser reported, or None if that is no order of `count` tokens."""
    if not isinstance(payload, (list, tuple)) or len(payload) != count:
        return None
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in payload):
        return None
    return tuple(int(value) for value in payload) if sorted(payload) == list(range(count)) else None
