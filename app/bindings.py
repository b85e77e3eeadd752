"""Which part of the state each shared widget shows and changes. Pure: functions from state to state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from app.model_view import MAX_TEXT, with_model
from app.parameters import MODEL, SETTINGS, TOP, VIEW, Parameter
from app.second_sentence import suggest
from app.url import State, clean, tidy
from models.settings import PRESETS
from models.tokenizer import MAX_CHARACTERS


class Binding(NamedTuple):
    """`read` gives the widget's value, `write` the state after the widget was changed to a value."""

    read: Callable[[State], Any]
    write: Callable[[State, Any], State]


def with_settings(state: State, **changes: Any) -> State:
    """The state with fields of its settings replaced; a text is cut to what is ever read of it. Values may come from a
    browser: what a field cannot hold is left out, here and below."""
    if "text" in changes:
        changes["text"] = clean(changes["text"])[:MAX_CHARACTERS]
    return replace(state, settings=replace(state.settings, **_fitting(SETTINGS, changes)))


def with_model_view(state: State, **changes: Any) -> State:
    """The state with fields of what is looked at in a trained model replaced."""
    return replace(state, model=replace(state.model, **_fitting(MODEL, changes)))


def with_view(state: State, **changes: Any) -> State:
    """The state with step, cell or head replaced; None leaves them."""
    return replace(state, view=replace(state.view, **_fitting(VIEW, changes)))


def _fitting(parameters: Sequence[Parameter], changes: Mapping[str, Any]) -> dict[str, Any]:
    fits = {parameter.field: parameter.fits for parameter in parameters}
    return {name: value for name, value in changes.items() if fits[name](value)}


def with_preset(state: State, name: str | None) -> State:
    """Start over from a preset: everything that is computed is replaced. None (a click on the chosen one) as well."""
    known = state.preset if name is None or name not in PRESETS else name
    return replace(state, preset=known, settings=PRESETS[known], second_text=None)


def second_text(state: State) -> str:
    """The sentence to compare with: the user's, or else the first one with a word replaced."""
    return suggest(state.settings.text) if state.second_text is None else state.second_text


def _with_second_text(state: State, text: str | None) -> State:
    return replace(state, second_text=clean(text or "")[:MAX_CHARACTERS])


def _shown_preset(state: State) -> str | None:
    return state.preset if state.settings.text == PRESETS[state.preset].text else None


def _setting(field: str) -> Binding:
    return Binding(
        lambda state: getattr(state.settings, field),
        lambda state, value: with_settings(state, **{field: value}),
    )


def _top(field: str) -> Binding:
    return Binding(
        lambda state: getattr(state, field),
        lambda state, value: replace(state, **_fitting(TOP, {field: value})),
    )


def _required(field: str) -> Binding:
    """As `_setting`, where an emptied widget (None) keeps the value."""
    read, write = _setting(field)
    return Binding(read, lambda state, value: state if value is None else write(state, value))


def _switch(field: str, on: str) -> Binding:
    """A field that a toggle changes between "none" and `on`."""
    return Binding(
        lambda state: getattr(state.settings, field) == on,
        lambda state, value: with_settings(state, **{field: on if value else "none"}),
    )


def _model_text(field: str) -> Binding:
    return Binding(
        lambda state: getattr(state.model, field),
        lambda state, text: with_model_view(state, **{field: clean(text or "")[:MAX_TEXT]}),
    )


def _model_choice(field: str) -> Binding:
    """As `_required`, for what is looked at in a trained model."""
    return Binding(
        lambda state: getattr(state.model, field),
        lambda state, value: state if value is None else with_model_view(state, **{field: value}),
    )


_HEAD = Binding(lambda state: tidy(state).view.head, lambda state, head: with_view(state, head=head))

_OPENED = Binding(
    lambda state: state.model.model,
    lambda state, name: state if not name else replace(state, model=with_model(state.model, name.strip())),
)

BINDINGS: dict[str, Binding] = {
    "preset": Binding(_shown_preset, with_preset),
    "text": Binding(lambda s: s.settings.text, lambda s, text: with_settings(s, text=text or "")),
    "second_text": Binding(second_text, _with_second_text),
    **{name: _required(name) for name in ("d_model", "heads", "seed", "temperature")},
    "d_k": _setting("d_k"),
    "d_v": _setting("d_v"),
    # hidden tokens are counted, so they would be others
    "cut": Binding(lambda s: s.settings.cut, lambda s, cut: with_settings(s, cut=cut, hidden=())),
    "sinusoidal": _switch("position", "sinusoidal"),
    "causal": _switch("mask", "causal"),
    "head": _HEAD,
    "head_of_many": _HEAD,
    "matrix": _top("matrix"),
    "language": _top("language"),
    **{f"model_{name}": _model_text(name) for name in ("text", "pair", "target")},
    **{f"translate_{name}": _model_text(name) for name in ("text", "target")},
    **{
        f"model_{name}": _model_choice(name)
        for name in ("layer", "head", "i", "j", "words", "special", "sink", "part", "kept")
    },
    "model": _OPENED,
    "model_ready": _OPENED,
    "model_stack": Binding(
        lambda s: (s.model.stream, s.model.kind),
        lambda s, stack: s if stack is None else with_model_view(s, stream=stack[0], kind=stack[1]),
    ),
}
