"""The state of a session and how it is written into an address. Pure: no Streamlit here.

Only what differs from the preset is written, so a fresh page has a clean address. Reading trusts nothing: a parameter
that cannot be used is left out and named, all others count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from app.labs.knobs import KNOBS, Value
from app.languages import DEFAULT_LANGUAGE
from app.model_view import ModelView, example
from app.parameters import LINK_LIMIT, MODEL, PRESET, SETTINGS, TOP, VIEW, Parameter
from models.settings import DEFAULT_PRESET, MAX_TOKENS, PRESETS, Settings
from models.tokenizer import Cut, tokenize


@dataclass(frozen=True)
class View:
    """What is looked at: the step, the selected cell (row `i`, column `j`) and the head, all counted from 0."""

    step: str = "scores"
    i: int = 1
    j: int = 2
    head: int = 0


@dataclass(frozen=True)
class State:
    """All that a user has chosen. `settings` started from `preset`; `second_text` is None until it is chosen;
    `matrix` is the one that is open for editing, `model` what the pages of trained models look at; `knobs` are those of
    the laboratories that were turned."""

    preset: str = DEFAULT_PRESET
    settings: Settings = field(default_factory=lambda: PRESETS[DEFAULT_PRESET])
    language: str = DEFAULT_LANGUAGE
    view: View = View()
    second_text: str | None = None
    matrix: str = "w_q"
    model: ModelView = field(default_factory=ModelView)
    knobs: Mapping[str, Value] = field(default_factory=dict)


def encode(state: State, default_language: str = DEFAULT_LANGUAGE) -> dict[str, str]:
    """The query parameters that reopen `state`; what is default is left out.

    The language is written unless both it and the reader's own (`default_language`) are English. Of a sentence that is
    too long only what is used is written; what is still too long for an address is left out, see `too_long`.
    """
    found = _full(state, default_language)
    return {name: text for name, text in found.items() if not _is_too_long(text)}


def too_long(state: State) -> tuple[str, ...]:
    """Names of the parameters ("text", "text2", "edits") that an address cannot carry."""
    return tuple(name for name, text in _full(state, DEFAULT_LANGUAGE).items() if _is_too_long(text))


def _full(state: State, default_language: str) -> dict[str, str]:
    preset = PRESETS[state.preset]
    found: dict[str, str] = {} if state.preset == DEFAULT_PRESET else {"preset": state.preset}
    found |= _differences(SETTINGS, state.settings, preset)
    if {state.language, default_language} != {DEFAULT_LANGUAGE}:
        found["lang"] = state.language
    found |= _differences(VIEW, tidy(state).view, tidy(replace(state, view=View())).view)
    found |= _differences(TOP[1:], state, State())
    found |= _differences(MODEL, state.model, replace(example(state.model.model), model=ModelView().model))
    found |= {n: KNOBS[n].write(value) for n, value in state.knobs.items() if value != KNOBS[n].default}
    cut = state.settings.cut
    return {n: _used_part(text, cut) if n in ("text", "text2") else text for n, text in found.items()}


def _is_too_long(text: str) -> bool:
    return len(quote(text, safe="")) > LINK_LIMIT


def _used_part(text: str, cut: Cut) -> str:
    """The text up to its last token that is used; all of it if it is short."""
    tokens = tokenize(text, limit=MAX_TOKENS, cut=cut)
    return text[: tokens[-1].end] if tokens.truncated else text


def _differences(parameters: Sequence[Parameter], values: object, defaults: object) -> dict[str, str]:
    pairs = [(p, getattr(values, p.field), getattr(defaults, p.field)) for p in parameters]
    return {p.name: p.write(value) for p, value, default in pairs if value != default}


def decode(parameters: Mapping[str, Sequence[str]], default_language: str) -> tuple[State, tuple[str, ...]]:
    """The state that an address asks for, and the names of the parameters that could not be used.

    `parameters` maps each name to all values given for it; a name given twice counts as unusable. Names that are not
    ours (a campaign tag of a mail program, say) are passed over in silence.
    """
    ignored: list[str] = []

    def read(which: Sequence[Parameter]) -> dict[str, Any]:
        found = {}
        for parameter in which:
            given = parameters.get(parameter.name, ())
            try:
                if len(given) == 1:
                    found[parameter.field] = parameter.read(clean(given[0]))
            except (ValueError, OverflowError):
                ignored.append(parameter.name)
            if len(given) > 1:
                ignored.append(parameter.name)
        return found

    preset = read([PRESET]).get("preset", DEFAULT_PRESET)
    state = State(
        preset=preset,
        settings=replace(PRESETS[preset], **read(SETTINGS)),
        view=replace(View(), **read(VIEW)),
        model=_model_view(read(MODEL)),
        knobs=read([Parameter(knob.name, knob.name, knob.read) for knob in KNOBS.values()]),
        **({"language": default_language} | read(TOP)),
    )
    beyond = [name for name in _beyond(state) if name in parameters]
    defaults = {name: getattr(View(), name) for name in beyond}
    return replace(state, view=replace(state.view, **defaults)), (*ignored, *beyond)


def _model_view(given: Mapping[str, Any]) -> ModelView:
    """What is not said about a model is as in its example."""
    return replace(example(given.get("model", ModelView().model)), **given)


def _beyond(state: State) -> list[str]:
    """Parameters that name a row or a head that this state does not have."""
    tidied = tidy(state).view
    return [name for name in ("i", "head") if getattr(tidied, name) < getattr(state.view, name)]


def tidy(state: State) -> State:
    """The same state, looking at a row and a head that exist."""
    i = min(state.view.i, max(1, _token_count(state.settings.text, state.settings.cut)) - 1)
    head = min(state.view.head, max(1, state.settings.heads) - 1)
    return replace(state, view=replace(state.view, i=i, head=head))


@lru_cache(maxsize=64)
def _token_count(text: str, cut: Cut) -> int:
    return len(tokenize(text, limit=MAX_TOKENS, cut=cut))


def clean(text: str) -> str:
    """The text with halves of surrogate pairs replaced by U+FFFD: they cannot be sent to a browser."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
