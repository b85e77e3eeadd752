"""What the heads of the open model do, measured once on this text and once on each sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar
from weakref import WeakKeyDictionary

import streamlit as st

from app import state
from app.i18n import t
from app.trained.kept import Kept
from app.trained.opening import Opened
from app.trained.stack import Stack
from models.head_roles import Scores, finished, stack_tallies
from models.head_roles.samples import Measured, measure_sample, samples_of
from models.pretrained import Model

TEXT = "text"
KEPT = 12  # measurements of texts: a few kB each
QUICK = 5_000_000  # weights that are measured without a progress bar

T = TypeVar("T")

_samples: WeakKeyDictionary[Model, dict[tuple[str, bool], Measured]] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True)
class Roles:
    """The scores of a stack's layers, and on what they were measured: `on` is "text" or a sample's name, `texts` are
    the sample's, `tokens` how many they have together."""

    layers: tuple[Scores, ...]
    on: str
    texts: tuple[str, ...] = ()
    tokens: int = 0


def grounds(now: Opened) -> tuple[str, ...]:
    """What the open model's heads can be measured on."""
    return (TEXT, *samples_of(now.model))


def chosen(now: Opened) -> str:
    """What they are measured on now; a sample that another model had becomes one that this model has."""
    there, wanted = grounds(now), state.lab("r_on")
    if wanted not in there:
        wanted = there[1]
        state.turn(r_on=wanted)
    return str(wanted)


def measured(now: Opened, stack: Stack, on: str, *, aside: bool) -> Roles:
    """The scores of this stack, measured now if they were not yet; a progress bar says so if that takes long. With
    `aside`, of the attention that does not go to the first token."""
    if on == TEXT:
        return _kept().get((now.key, stack.name, aside), lambda: _on_text(now, stack, aside))
    found = _sample(now.model, on, aside)
    layers = tuple(finished(tally, aside=aside) for tally in found.stacks.get(stack.name, []))
    return Roles(layers, on, found.texts, found.tokens)


def _on_text(now: Opened, stack: Stack, aside: bool) -> Roles:
    size = len(stack.calls) * stack.most_heads * stack.call.queries * stack.call.keys
    if size < QUICK:
        tallies = stack_tallies(stack.calls, now.trace.tokens, aside=aside)
    else:
        tallies = _with_bar(lambda report: stack_tallies(stack.calls, now.trace.tokens, report, aside=aside))
    return Roles(tuple(finished(tally, aside=aside) for tally in tallies), TEXT, (), stack.call.keys)


def _sample(model: Model, on: str, aside: bool) -> Measured:
    with _lock:
        known = _samples.setdefault(model, {})
    if (on, aside) not in known:
        known[on, aside] = _with_bar(lambda report: measure_sample(model, on, report, aside=aside))
    return known[on, aside]


def _with_bar(work: Callable[[Callable[[float], object]], T]) -> T:
    """A changed input stops the work at the bar's next step."""
    place = st.empty()
    bar = place.progress(0.0, t("roles.measuring"))
    found = work(lambda share: bar.progress(share, t("roles.measuring")))
    place.empty()
    return found


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Roles]:
    return Kept(KEPT)
