"""The state of a session and how it is written into an address. Pure: no Streamlit here.

Only what differs from the preset is written, so a fresh page has a clean address. Reading trusts nothing: a parameter
that cannot be used is left out and named, all others count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from app.lab.knobs import KNOBS, Value
from app.languages import DEFAULT_LANGUAGE, LANGUAGES
from app.model_view import (
    LINKS_KEPT,
    MAX_HEAD,
    MAX_LAYER,
    MAX_NAME,
    MAX_TOKEN,
    PARTS,
    STREAMS,
    ModelView,
)
from models.edits import NAMES, Edits
from models.settings import (
    DEFAULT_PRESET,
    MAX_D_MODEL,
    MAX_HEAD_SIZE,
    MAX_HEADS,
    MAX_SEED,
    MAX_TOKENS,
    PRESETS,
    TEMPERATURES,
    Settings,
)
from models.tokenizer import tokenize

STEPS = ("tokens", "embedding", "position", "input", "query", "key", "value", "scores", "scaled", "masked",
         "weights", "head_output", "concat", "output")  # fmt: skip
LINK_LIMIT = 6_000  # characters of one parameter, as they stand in the address: proxies refuse much more
MAX_CELL = MAX_HEADS * MAX_HEAD_SIZE  # the widest matrix: all heads side by side


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
    `knobs` are those of the laboratories that were turned,
    `matrix` is the one that is open for editing, `model` what the pages of real models look at."""

    preset: str = DEFAULT_PRESET
    settings: Settings = field(default_factory=lambda: PRESETS[DEFAULT_PRESET])
    language: str = DEFAULT_LANGUAGE
    view: View = View()
    second_text: str | None = None
    matrix: str = "w_q"
    model: ModelView = field(default_factory=ModelView)
    knobs: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class _Parameter:
    """One query parameter: its name, the field it fills, and how to read and write it (reading raises ValueError)."""

    name: str
    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and low <= int(text) <= high):
            raise ValueError(text)
        return int(text)

    return read


def _maybe(read: Callable[[str], int]) -> Callable[[str], int | None]:
    return lambda text: None if text == "auto" else read(text)


def _one_of(options: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in options:
            raise ValueError(text)
        return text

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text) if len(text) < 30 else math.nan
        if not low <= number <= high:  # also false for NaN
            raise ValueError(text)
        return number

    return read


def _sentence(text: str) -> str:
    if len(text) > LINK_LIMIT:
        raise ValueError("too long")
    return text


def _name(text: str) -> str:
    if not 0 < len(text) <= MAX_NAME or not text.isprintable():
        raise ValueError(text)
    return text


def _switch(text: str) -> bool:
    return _one_of(("0", "1"))(text) == "1"


def _indices(text: str) -> tuple[int, ...]:
    read = _whole(0, MAX_TOKENS - 1)
    return tuple(sorted({read(part) for part in text.split(",")})) if text else ()


def _edits(text: str) -> Edits:
    if len(text) > LINK_LIMIT:
        raise ValueError("too long")
    return Edits.decode(text)


_INDEX = _whole(0, MAX_CELL - 1)

_SETTINGS = (
    _Parameter("text", "text", _sentence),
    _Parameter("vec", "vectors", _one_of(("seeded", "worked"))),
    _Parameter("seed", "seed", _whole(0, MAX_SEED)),
    _Parameter("d", "d_model", _whole(1, MAX_D_MODEL)),
    _Parameter("heads", "heads", _whole(1, MAX_HEADS)),
    _Parameter("dk", "d_k", _maybe(_whole(1, MAX_HEAD_SIZE)), lambda v: "auto" if v is None else str(v)),
    _Parameter("dv", "d_v", _maybe(_whole(1, MAX_HEAD_SIZE)), lambda v: "auto" if v is None else str(v)),
    _Parameter("pos", "position", _one_of(("none", "sinusoidal"))),
    _Parameter("mask", "mask", _one_of(("none", "causal"))),
    _Parameter("hide", "hidden", _indices, lambda v: ",".join(map(str, v))),
    _Parameter("temp", "temperature", _number(*TEMPERATURES), lambda v: f"{v:g}"),
    _Parameter("edits", "edits", _edits, lambda v: v.encode()),
)
_VIEW = (
    _Parameter("step", "step", _one_of(STEPS)),
    _Parameter("i", "i", _INDEX),
    _Parameter("j", "j", _INDEX),
    _Parameter("head", "head", _whole(0, MAX_HEADS - 1)),
)
_MODEL = (
    _Parameter("model", "model", _name),
    _Parameter("mtext", "text", _sentence),
    _Parameter("mpair", "pair", _sentence),
    _Parameter("mtarget", "target", _sentence),
    _Parameter("stream", "stream", _one_of(STREAMS)),
    _Parameter("kind", "kind", _one_of(("self", "cross"))),
    _Parameter("layer", "layer", _whole(0, MAX_LAYER)),
    _Parameter("mhead", "head", _whole(0, MAX_HEAD)),
    _Parameter("mi", "i", _whole(0, MAX_TOKEN)),
    _Parameter("mj", "j", _whole(0, MAX_TOKEN)),
    *(_Parameter(name, name, _switch, lambda on: str(int(on))) for name in ("words", "special", "sink")),
    _Parameter("part", "part", _one_of(PARTS)),
    _Parameter("kept", "kept", lambda text: int(_one_of([str(n) for n in LINKS_KEPT])(text))),
)
_TOP = (
    _Parameter("lang", "language", _one_of(tuple(LANGUAGES))),
    _Parameter("text2", "second_text", _sentence),
    _Parameter("matrix", "matrix", _one_of(NAMES)),
)
_PRESET = _Parameter("preset", "preset", _one_of(tuple(PRESETS)))


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
    found |= _differences(_SETTINGS, state.settings, preset)
    if {state.language, default_language} != {DEFAULT_LANGUAGE}:
        found["lang"] = state.language
    found |= _differences(_VIEW, tidy(state).view, tidy(replace(state, view=View())).view)
    found |= _differences(_TOP[1:], state, State())
    found |= _differences(_MODEL, state.model, ModelView())
    found |= {n: KNOBS[n].write(value) for n, value in state.knobs.items() if value != KNOBS[n].default}
    return {name: _used_part(text) if name in ("text", "text2") else text for name, text in found.items()}


def _is_too_long(text: str) -> bool:
    return len(quote(text, safe="")) > LINK_LIMIT


def _used_part(text: str) -> str:
    """The text up to its last token that is used; all of it if it is short."""
    tokens = tokenize(text, limit=MAX_TOKENS)
    return text[: tokens[-1].end] if tokens.truncated else text


def _differences(parameters: Sequence[_Parameter], values: object, defaults: object) -> dict[str, str]:
    pairs = [(p, getattr(values, p.field), getattr(defaults, p.field)) for p in parameters]
    return {p.name: p.write(value) for p, value, default in pairs if value != default}


def decode(parameters: Mapping[str, Sequence[str]], default_language: str) -> tuple[State, tuple[str, ...]]:
    """The state that an address asks for, and the names of the parameters that could not be used.

    `parameters` maps each name to all values given for it; a name given twice counts as unusable. Names that are not
    ours (a campaign tag of a mail program, say) are passed over in silence.
    """
    ignored: list[str] = []

    def read(which: Sequence[_Parameter]) -> dict[str, Any]:
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

    preset = read([_PRESET]).get("preset", DEFAULT_PRESET)
    state = State(
        preset=preset,
        settings=replace(PRESETS[preset], **read(_SETTINGS)),
        view=replace(View(), **read(_VIEW)),
        model=replace(ModelView(), **read(_MODEL)),
        knobs=read([_Parameter(knob.name, knob.name, knob.read) for knob in KNOBS.values()]),
        **({"language": default_language} | read(_TOP)),
    )
    beyond = [name for name in _beyond(state) if name in parameters]
    defaults = {name: getattr(View(), name) for name in beyond}
    return replace(state, view=replace(state.view, **defaults)), (*ignored, *beyond)


def _beyond(state: State) -> list[str]:
    """Parameters that name a row or a head that this state does not have."""
    tidied = tidy(state).view
    return [name for name in ("i", "head") if getattr(tidied, name) < getattr(state.view, name)]


def tidy(state: State) -> State:
    """The same state, looking at a row and a head that exist."""
    i = min(state.view.i, max(1, _token_count(state.settings.text)) - 1)
    head = min(state.view.head, max(1, state.settings.heads) - 1)
    return replace(state, view=replace(state.view, i=i, head=head))


@lru_cache(maxsize=64)
def _token_count(text: str) -> int:
    return len(tokenize(text, limit=MAX_TOKENS))


def clean(text: str) -> str:
    """The text with halves of surrogate pairs replaced by U+FFFD: they cannot be sent to a browser."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
