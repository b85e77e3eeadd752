"""Keeps the Back button useful in an app that writes its state into the address."""

from __future__ import annotations

from components.bundle import script
from components.registered import component

_COMPONENT = component("am_address", html="<span></span>", js=script("address/address.js"))


def one_entry_per_page(key: str) -> None:
    """Let a change of the query parameters replace the entry in the browser's history. Draws nothing."""
    _COMPONENT(key=key, data=None)
