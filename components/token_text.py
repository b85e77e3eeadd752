"""Tokens as a running text that grows: what was given, what was written, and how much one token looks at each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said

TEXT_KEYS = ("written", "asks", "share")
SPACE = "␣"  # how labels show the space before a word; here it is a real one

_COMPONENT = component(
    "am_token_text",
    html='<div class="am am-token-text"></div>',
    css=style("token_text/token_text.css"),
    js=script("token_text/token_text.js"),
)


@dataclass(frozen=True)
class Line:
    """One text: its `name`, its tokens' `labels`, from which token on it was `written` by the model, with the
    probabilities (`chances`) that it gave those. `shares` (one per token) tint it; `asks` is the token whose shares
    they are. `open` says that it goes on. `picks`: its tokens can be clicked. `apart`: tokens are symbols that do not
    spell words together, and stand apart."""

    name: str
    labels: Sequence[str]
    written: int
    chances: Sequence[float] = ()
    shares: npt.NDArray[np.floating[Any]] | None = None
    asks: int | None = None
    open: bool = False
    picks: bool = False
    apart: bool = False


def token_text_data(
    lines: Sequence[Line],
    *,
    keys: int,
    text: Mapping[str, str],
) -> dict[str, Any]:
    """What the browser draws of the lines; `keys` is how many tokens share the attention, which sets the tint of an
    even share.

    `text` needs TEXT_KEYS; "written" has the place {chance}, "asks" none, "share" {share}. Raises ValueError where
    shares or chances do not fit the labels.
    """
    for line in lines:
        _check(line)
    return {
        "lines": [_payload(line) for line in lines],
        "keys": keys,
        "text": {name: text[name] for name in TEXT_KEYS},
    }


def token_text(data: Mapping[str, Any], *, key: str, on_pick: Callable[[int], None] | None = None) -> None:
    """Draw what `token_text_data` made. `on_pick` is called with the number of a token of a line that `picks`."""
    most = max((len(line["labels"]) for line in data["lines"] if line["picks"]), default=0)

    def changed() -> None:
        index = whole_number(said(key, "pick"), most)
        if index is not None and on_pick:
            on_pick(index)

    _COMPONENT(key=key, data=data, on_pick_change=changed)


def _payload(line: Line) -> dict[str, Any]:
    shares = None if line.shares is None else [round(float(share), 4) for share in np.nan_to_num(line.shares)]
    return {
        "name": line.name,
        "labels": list(line.labels),
        "written": line.written,
        "chances": [round(float(chance), 4) for chance in line.chances],
        "shares": shares,
        "asks": -1 if line.asks is None else line.asks,
        "open": line.open,
        "picks": line.picks,
        "apart": line.apart,
    }


def _check(line: Line) -> None:
    if line.shares is not None and len(line.shares) != len(line.labels):
        raise ValueError(
            f"a share for each of {len(line.labels)} tokens was expected, received {len(line.shares)}"
        )
    if len(line.chances) not in (0, len(line.labels) - line.written):
        raise ValueError(
            f"a chance for each of {len(line.labels) - line.written} written tokens was expected, "
            f"received {len(line.chances)}"
        )
