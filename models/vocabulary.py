"""The names of what a trace consists of: one row per step or parameter, in the order in which they are computed.

Every list of steps in the project is read off this table: what an address may name, the order of the stage, the symbols
and hues of matrices in formulas, captions and code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Hue = Literal["x", "q", "k", "v", "w"]  # of queries, keys, values and weights; "x" is everything else
Rows = Literal[
    "token", "key", "position"
]  # what the rows stand for: tokens that ask, that are looked at, or places


@dataclass(frozen=True)
class Name:
    """One row of the table.

    `symbol` with `sub` and `sup` is how formulas write it; without a symbol it is named in words. `letter` stands for
    one row of it (q, k, v …), `code` for the whole in code. `chain` marks what a model may do to queries and keys
    between projection and dot product, in an order of its own. `instead` is what is shown of a trace without it.
    """

    name: str
    symbol: str = ""
    sub: str = ""
    sup: str = ""
    hue: Hue = "x"
    letter: str = ""
    code: str = ""
    rows: Rows | None = None
    chain: bool = False
    instead: str = "scores"

    @property
    def variable(self) -> str:
        return self.code or self.name


def _changed(side: str, how: str, mark: str) -> Name:
    """Queries or keys after one of the changes of their chain."""
    query = side == "query"
    return Name(
        f"{side}_{how}",
        "Q" if query else "K",
        sup=mark,
        hue="q" if query else "k",
        letter="q" if query else "k",
        rows=None if query else "key",
        chain=True,
        instead=side,
    )


STEPS = (
    Name("tokens", code="ids", instead="input"),
    Name("embedding", "E", letter="e", code="E", instead="input"),
    Name("position", "P", letter="p", code="P", rows="position", instead="input"),
    Name("input", "X", letter="x", code="X", instead="query"),
    Name("context", "X", "enc", letter="x", code="X_context", rows="key", instead="input"),
    Name("value_input", "X", "V", letter="x", rows="key", instead="input"),
    Name("query_all", "Q", "all", hue="q", letter="q", instead="query"),
    Name("key_all", "K", "all", hue="k", letter="k", rows="key", instead="key"),
    Name("query", "Q", hue="q", letter="q", code="Q"),
    Name("key", "K", hue="k", letter="k", code="K", rows="key"),
    Name("value", "V", hue="v", letter="v", code="V", rows="key"),
    *(
        _changed(side, how, mark)
        for how, mark in (("normed", "norm"), ("rotated", "↻"), ("scaled", "×"))
        for side in ("query", "key")
    ),
    Name("scores"),
    Name("scaled"),
    Name("softcapped", instead="scaled"),
    Name("bias", "B", instead="scaled"),
    Name("biased", instead="scaled"),
    Name("masked", instead="scaled"),
    Name("weights", hue="w", letter="w"),
    Name("sink_mass", hue="w", letter="w", instead="weights"),
    Name("rest_mass", hue="w", letter="w", instead="weights"),
    Name("window_output", "Z", "seen", hue="v", letter="z", instead="head_output"),
    Name("rest_output", "Z", "rest", hue="v", letter="z", instead="head_output"),
    Name("head_output", "Z", hue="v", letter="z"),
    Name("gate_input", "X", "G", letter="x", instead="input"),
    Name("gate", "G", letter="g", instead="head_output"),
    Name("gate_opening", letter="g", instead="head_output"),
    Name("gated_output", "Z", sup="⊙", hue="v", letter="z", instead="head_output"),
    Name("contribution", letter="y", instead="output"),
    Name("concat", hue="v", instead="contribution"),
    Name("output", letter="y", instead="contribution"),
)

PARAMETERS = (
    Name("w_q", "W", "Q", hue="q", code="W_Q"),
    Name("w_k", "W", "K", hue="k", code="W_K"),
    Name("w_v", "W", "V", hue="v", code="W_V"),
    Name("w_o", "W", "O", code="W_O"),
    Name("w_gate", "W", "G"),
    Name("query_norm", "γ", hue="q"),
    Name("key_norm", "γ", hue="k"),
    Name("mask", "M"),
    Name("sink"),
    Name("rest"),
)

_ROWS = {row.name: row for row in (*STEPS, *PARAMETERS)}
_PLACES = {row.name: at for at, row in enumerate(STEPS)}
ORDER = tuple(_PLACES)


def named(name: str) -> Name:
    """The row of a step or parameter. Raises KeyError for a name that nothing has."""
    return _ROWS[name]


def knows(name: str) -> bool:
    """Whether there is a row of this name: what only helps to compute a step (cos, sin, pairs …) has none."""
    return name in _ROWS


def place(step: str) -> int:
    """Where a step stands in the order, from 0."""
    return _PLACES[step]


def nearest(step: str, among: tuple[str, ...]) -> str:
    """`step`, or what stands for it in a trace that has only the steps `among`; "scores" where nothing does."""
    tried: set[str] = set()
    while step not in among:
        if step in tried or step not in _PLACES:
            return "scores"
        tried.add(step)
        step = _ROWS[step].instead
    return step
