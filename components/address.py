"""Keeps the browser's history and this tab's storage for an app that writes its state into the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from components.bundle import script
from components.registered import component, said

_COMPONENT = component("am_address", html="<span></span>", js=script("address/address.js"))


def browser_history(
    *,
    key: str,
    entry: Sequence[str],
    link: str,
    page: str,
    run: int,
    keep: tuple[str, str] | None,
    wanted: object,
    tab: str | None,
    on_went: Callable[[object], None],
    on_found: Callable[[object, object], None],
    on_tab: Callable[[object], None],
) -> None:
    """Let a change of the parameters `entry` be an entry of the browser's history and any other change none. Draws
    nothing. `link` is the parameter that marks a way to another page, `page` the place of this one in the address, and
    no other run has the number `run`.

    `keep` (name and text) is kept in the tab's storage; the text named `wanted` is looked up there. `tab` is a secret
    that only this tab keeps. Called with what the browser says, unchecked: `on_went` with the query of an address of
    the history on the same page, `on_found` with a wanted name and its text (or None), `on_tab` with the secret of a
    tab that was loaded again.
    """

    def found() -> None:
        answer = said(key, "found")
        if isinstance(answer, Mapping):
            on_found(answer.get("name"), answer.get("text"))

    _COMPONENT(
        key=key,
        data={
            "entry": list(entry),
            "link": link,
            "page": page,
            "run": run,
            "keep": list(keep or ()),
            "wanted": wanted or "",
            "tab": tab or "",
        },
        on_went_change=lambda: on_went(said(key, "went")),
        on_found_change=found,
        on_tab_change=lambda: on_tab(said(key, "tab")),
    )
