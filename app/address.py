"""The address and the browser's history: what is an entry, what Back brings, what a reload finds again.

A change of page, preset, sentence, model or text is an entry of the history; a step, a cell, a head and every other
choice changes the entry one is at (components/frontend/address/address.js sees to it). Back and Forward therefore are
undo and redo. Three things lead to a page:

- a link of the app, whose query has `LINK` in it: the state stays as it is, the query is there for new tabs only;
- Back or Forward to another page: its address is what counts;
- Back or Forward on the same page: the browser reports the address (`_went`).
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import parse_qs

from app import state
from app.learn.training import shelf
from app.overlong import names_of, rest_of, with_rest
from app.unheard import LINK
from components.address import browser_history

REST = "rest"  # the parameter that names what an address lacks
ENTRY = ("preset", "text", "text2", "model", "mtext", "mpair", "mtarget", REST)
KEPT = 12  # rests that a session remembers, for Back
LONGEST = 200_000  # characters of an address that are read

_LOG = logging.getLogger(__name__)


def enter(page: str) -> None:
    """Note which page is drawn now, and take the state from the address where the browser's history led to it."""
    first, moved = state.enter(page)
    reported = state.reported()
    if first:
        _miss(reported.get(REST, []))
    elif moved and LINK not in reported:
        follow(reported)


def query() -> dict[str, str]:
    """The query parameters of an address that reopens the current state in this tab."""
    return _whole(state.query())


def link() -> dict[str, str]:
    """The query of a link to another page of the app: as `query`, marked as a link."""
    return {**query(), LINK: "1"}


def write() -> None:
    """Make the address reopen the current state; called at the end of a run."""
    state.write_url(query())


def follow(parameters: dict[str, list[str]]) -> None:
    """Take the state over from an address of the history; language and what the address does not say stay."""
    state.follow(parameters)
    _miss(parameters.get(REST, []))


def missing() -> tuple[str, ...]:
    """Parameters that the address of this page named and that this browser's tab does not have."""
    return names_of(_memory().get("missing", ""))


def keep(page: str) -> None:
    """Draw (nothing to see) what keeps the browser's history and the tab's storage; called once per run."""
    rest, memory = rest_of(state.current()), _memory()
    if rest is not None:
        _remember(*rest)
    browser_history(
        key="am.address",
        entry=ENTRY,
        link=LINK,
        page=page,
        run=state.count_run(),
        keep=rest,
        wanted=memory.get("wanted"),
        tab=shelf.token(),
        on_went=_went,
        on_found=_found,
        on_tab=shelf.claim,
    )


def _whole(found: dict[str, str]) -> dict[str, str]:
    """With the name of what is lacking, as long as it is looked for as well."""
    rest = rest_of(state.current())
    name = rest[0] if rest is not None else _memory().get("wanted")
    return {**found, REST: name} if name else found


def _went(search: object) -> None:
    """Back or Forward on the same page: the browser is at this address now."""
    if isinstance(search, str) and len(search) <= LONGEST:
        follow(parse_qs(search.removeprefix("?"), keep_blank_values=True))


def _miss(names: list[str]) -> None:
    """The address lacks something: it is remembered, or the browser is asked for it."""
    memory = _memory()
    memory.pop("wanted", None)
    memory.pop("missing", None)
    if len(names) != 1 or not names_of(names[0]):
        return
    if names[0] in memory.get("rests", {}):
        _put_back(names[0], memory["rests"][names[0]])
    else:
        memory["wanted"] = names[0]


def _found(name: object, text: object) -> None:
    """The tab's answer: the text of that name, or None if it has none."""
    memory = _memory()
    if not isinstance(name, str) or name != memory.pop("wanted", None):
        return
    if not _put_back(name, text):
        memory["missing"] = name


def _put_back(name: str, text: object) -> bool:
    try:
        state.become(with_rest(state.current(), name, text))
    except ValueError as error:
        _LOG.info("what a tab kept was not used: %s", error)
        return False
    return True


def _remember(name: str, text: str) -> None:
    rests: dict[str, str] = _memory().setdefault("rests", {})
    rests.pop(name, None)
    rests[name] = text
    for old in list(rests)[:-KEPT]:
        del rests[old]


def _memory() -> dict[str, Any]:
    return state.scratch("address")
