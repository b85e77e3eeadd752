"""What is too long for an address: the browser's tab keeps it, and the address names it. Pure.

An address that lacks a long sentence or edited matrices says so in the parameter `rest`: which parameters are missing,
and a digest of what they were. The text itself lies in the tab's own storage under that name, so that a reload and the
Back button find it again. What comes back from a browser counts only if it has the digest that the address says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.bindings import with_model_view, with_settings
from app.model_view import MAX_TEXT
from app.url import State, clean, encode, too_long
from models.edits import Edits
from models.errors import InputError
from models.tokenizer import MAX_CHARACTERS

LARGEST = 4_000_000  # characters of what a tab keeps: browsers give a site about 5 MB
_NAME = re.compile(r"(?P<names>[a-z0-9.]{1,40})-[0-9a-f]{16}")


def _model_text(field: str) -> tuple[Callable[[State], str], Callable[[State, str], State]]:
    return (
        lambda state: getattr(state.model, field),
        lambda state, text: with_model_view(state, **{field: clean(text)[:MAX_TEXT]}),
    )


# How each parameter that may be too long is read from the state and put back into it.
FIELDS: dict[str, tuple[Callable[[State], str], Callable[[State, str], State]]] = {
    "text": (lambda s: s.settings.text, lambda s, text: with_settings(s, text=text)),
    "text2": (
        lambda s: s.second_text or "",
        lambda s, text: replace(s, second_text=clean(text)[:MAX_CHARACTERS]),
    ),
    "mtext": _model_text("text"),
    "mpair": _model_text("pair"),
    "mtarget": _model_text("target"),
    "edits": (
        lambda s: s.settings.edits.encode(),
        lambda s, text: with_settings(s, edits=Edits.decode(text)),
    ),
}


def rest_of(state: State) -> tuple[str, str] | None:
    """Name and text of what an address of `state` lacks; None if it lacks nothing, or more than a tab keeps."""
    written, lost = encode(state), too_long(state)
    raw = {name: read(state) for name, (read, _) in FIELDS.items()}
    # of a sentence an address has the part that is used
    values = {
        n: text for n, text in raw.items() if n in lost or written.get(n, text) not in (text, clean(text))
    }
    text = json.dumps(values, sort_keys=True)
    if not values or len(text) > LARGEST:
        return None
    return f"{'.'.join(sorted(values))}-{_digest(text)}", text


def names_of(name: str) -> tuple[str, ...]:
    """The parameters that an address lacks which calls its rest `name`; empty for what is no such name."""
    match = _NAME.fullmatch(name)
    names = tuple(match["names"].split(".")) if match else ()
    return names if names and set(names) <= set(FIELDS) else ()


def with_rest(state: State, name: str, text: Any) -> State:
    """The state with its rest put back. Raises ValueError for a text that is not the one called `name`."""
    if not isinstance(text, str) or len(text) > LARGEST or not names_of(name):
        raise ValueError("a text kept by this tab was expected")
    if name.rpartition("-")[2] != _digest(text):
        raise ValueError("another text than the address names")
    try:
        values = json.loads(text)
        return _put_back(state, values)
    except (InputError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error


def _put_back(state: State, values: Mapping[str, str]) -> State:
    for name, value in values.items():
        state = FIELDS[name][1](state, value)
    return state


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
