"""The candidates for the next token as bars; a click takes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from components.bundle import script, style
from components.matrix import whole_number
from components.registered import component, said

TEXT_KEYS = ("label", "rest", "take", "next", "drawn")

_COMPONENT = component(
    "am_token_choice",
    html='<div class="am am-token-choice"><div class="strip"></div><div class="bars" role="group"></div></div>',
    css=style("token_choice/token_choice.css"),
    js=script("token_choice/token_choice.js"),
)


def token_choice_data(
    labels: Sequence[str],
    probabilities: Sequence[float],
    rest: float,
    *,
    next_one: int | None,
    text: Mapping[str, str],
    drawn: float | None = None,
    takeable: bool = True,
) -> dict[str, Any]:
    """What the browser draws of candidates with their `probabilities`, likeliest first, and the probability of all
    others (`rest`).

    `next_one` is the place of the candidate that the rule will take (None: it is not among them). `drawn` is the random
    number in 0 … 1 that decides: it is shown on a strip of all probabilities. Candidates can be clicked if `takeable`.
    `text` needs TEXT_KEYS; "take" has the place {token}, "drawn" {number}. Raises ValueError if labels and
    probabilities do not fit.
    """
    if len(labels) != len(probabilities):
        raise ValueError(
            f"a probability for each of {len(labels)} labels was expected, received {len(probabilities)}"
        )
    return {
        "labels": list(labels),
        "probabilities": [float(value) for value in probabilities],
        "rest": float(rest),
        "next": -1 if next_one is None else next_one,
        "drawn": drawn,
        "takeable": takeable,
        "text": {name: text[name] for name in TEXT_KEYS},
    }


def token_choice(data: Mapping[str, Any], *, key: str, on_take: Callable[[int], None] | None = None) -> None:
    """Draw what `token_choice_data` made. `on_take` is called with the place of a candidate that was clicked."""
    count = len(data["labels"])

    def changed() -> None:
        index = whole_number(said(key, "take"), count)
        if index is not None and on_take:
            on_take(index)

    _COMPONENT(key=key, data=data, on_take_change=changed)
