"""The text that the session's model is writing, and what can be done with it. Every action is one step of the model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st

from app import state
from app.i18n import t
from app.notice import error_notice
from app.trained.grow import ids as grow_ids
from app.trained.grow.shelf import Shelf
from app.trained.opening import key_of, opened_model
from models.errors import InputError
from models.generation import Draft, Rule, begin, writer_for, writes
from models.pretrained import Model
from models.pretrained.loading import shelf as models_kept

BYTES = 300_000_000  # of all drafts that are kept for all sessions
MANY = 10  # tokens at a click
PLAYED = 200  # tokens that are written by themselves before the page waits to be asked again
NEWEST = -1  # the row that is looked at
STRONGEST = -1  # column: where the row looks most


@dataclass(frozen=True)
class Growing:
    """A model that writes, its text, and `key`, which names model and prompt."""

    model: Model
    draft: Draft
    key: str


@st.cache_resource(show_spinner=False)
def _shelf() -> Shelf:
    return Shelf(BYTES)


models_kept.when_let_go.append(_shelf.clear)  # a draft holds its writer, and that its model


def rule() -> Rule:
    """How the session wants the next token to be chosen."""
    return Rule(state.lab("w_mode") == "sampled", state.lab("w_temp"), state.lab("w_seed"))


def shown_temperature() -> float:
    """The temperature of the probabilities that are shown: greedy takes the largest at any."""
    return rule().temperature if rule().sampled else 1.0


def opened_text() -> Growing | Model | None:
    """The session's model with its text as far as it is written; the model alone if it does not write; None after the
    page has said what is wrong."""
    if (model := opened_model()) is None:
        return None
    if not writes(model):
        return model
    text = state.model_view().text
    key = key_of(model, text)
    _forget_other_prompts()
    try:
        with st.spinner(t("trained.tracing")):
            return Growing(model, _draft(model, text, key), key)
    except InputError as error:
        error_notice(error, "grow")
        return None


def _draft(model: Model, text: str, key: str) -> Draft:
    """The draft that the address names. What cannot be written after this prompt is left out, and said."""
    shelf = _shelf()

    def make() -> Draft:
        return begin(writer_for(model), text)

    try:
        if state.lab("w_of") not in ("", _prompt()):
            raise ValueError("these tokens were written behind another prompt")
        return shelf.get(key, grow_ids.decode(state.lab("w_ids")), make)
    except ValueError:  # InputError is one
        draft = shelf.get(key, (), make)  # raises if the prompt itself cannot be used
        keep(draft)
        memory()["lost"] = True
        return draft


def _prompt() -> str:
    """A short name of model and prompt: a text that is too long for an address is missing there, and what was written
    behind it must not appear behind another one."""
    view = state.model_view()
    return hashlib.blake2b(f"{view.model}\0{view.text}".encode("utf-8", "replace"), digest_size=4).hexdigest()


def _forget_other_prompts() -> None:
    """What was written belongs to the prompt: with another one the model starts anew."""
    if memory().setdefault("prompt", _prompt()) != _prompt():
        memory().update(prompt=_prompt(), playing=False, rested=False, lost=False)
        state.turn(w_ids="", w_of="", w_row=NEWEST, w_col=STRONGEST)


def memory() -> dict[str, object]:
    """What the page remembers that is no part of the address."""
    return state.scratch("grow")


def keep(draft: Draft) -> None:
    """This is the session's text from now on; its newest row is looked at."""
    written = grow_ids.encode(draft.written)
    state.turn(w_ids=written, w_of=_prompt() if written else "", w_row=NEWEST, w_col=STRONGEST)


def act(now: Growing, action: str, token: int = 0) -> None:
    """Do what a button says: "next", "many", "back", "over", "take". The text stops by itself at its end and where
    there is no more room."""
    draft = now.draft
    if action == "back":
        draft = draft.back()
    elif action == "over":
        draft = draft.back(len(draft.written))
    elif action == "take":
        draft = draft.write(token)
    else:
        draft = longer(draft, MANY if action == "many" else 1)
    shown(now, draft)


def shown(now: Growing, draft: Draft) -> Growing:
    """Show this draft of the same prompt from now on."""
    _shelf().put(now.key, draft)
    keep(draft)
    return Growing(now.model, draft, now.key)


def longer(draft: Draft, count: int) -> Draft:
    """As many tokens more as there can be, up to `count`."""
    for _ in range(count):
        if draft.ended or draft.full:
            break
        draft = draft.next(rule())
    return draft
