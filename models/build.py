"""From settings to a trace: the whole computation of the from-scratch pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from models.attention import MultiHeadAttention
from models.edits import apply
from models.embedding import embed
from models.errors import InputError
from models.masks import causal, padding
from models.positions import sinusoidal
from models.settings import MAX_TOKENS, Settings
from models.steps import add_positions
from models.tokenizer import Tokens, tokenize
from models.trace import Trace


@dataclass(frozen=True)
class Built:
    """A trace with what the pages want to say about it: `set_aside` names edits that do not fit the present sizes."""

    trace: Trace
    set_aside: tuple[str, ...]


def build(settings: Settings) -> Trace:
    """The trace of these settings. Raises InputError for settings that cannot be used or a text without a token."""
    return build_with_notes(settings).trace


def build_with_notes(settings: Settings) -> Built:
    """As `build`, and which edits were set aside because the matrix has another shape now."""
    settings.checked()
    tokens = tokenize(settings.text, limit=MAX_TOKENS, cut=settings.cut)
    if not len(tokens):
        raise InputError(
            "empty_text", "There is no word in the text yet. Type a sentence, or choose an example."
        )
    set_aside: list[str] = []
    embedding = _edited_embedding(settings, tokens, set_aside)
    position = None
    if settings.position == "sinusoidal":
        position = sinusoidal(len(tokens), settings.d_model)
    module = _module(settings, set_aside)
    trace = module.trace(
        embedding if position is None else add_positions(embedding, position),
        mask=causal(len(tokens)) if settings.mask == "causal" else None,
        tokens=tokens,
        embedding=embedding,
        position=position,
        padded=_padded(settings, len(tokens)),
        temperature=settings.temperature,
    )
    return Built(trace, tuple(set_aside))


def _embedding(settings: Settings, tokens: Tokens, seed: int) -> Tensor:
    return embed(tokens, settings.d_model, seed, settings.vectors)


def _edited_embedding(settings: Settings, tokens: Tokens, set_aside: list[str]) -> Tensor:
    default = _embedding(settings, tokens, settings.seed)
    edit = settings.edits.get("embedding")
    if edit is None:
        return default
    edited, applied = apply(default, edit, lambda seed: _embedding(settings, tokens, seed))
    if not applied:
        set_aside.append("embedding")
    return edited


def _plain_module(settings: Settings) -> MultiHeadAttention:
    return MultiHeadAttention(
        settings.d_model, settings.heads, d_k=settings.d_k, d_v=settings.d_v, seed=settings.seed
    )


def _module(settings: Settings, set_aside: list[str]) -> MultiHeadAttention:
    module = _plain_module(settings)
    for name, parameter in module.named_parameters():
        edit = settings.edits.get(name)
        if edit is None:
            continue
        edited, applied = apply(parameter.detach(), edit, partial(module.initial, name))
        if not applied:
            set_aside.append(name)
        with torch.no_grad():
            parameter.copy_(edited)
    return module


def _padded(settings: Settings, keys: int) -> Tensor | None:
    """Positions beyond the sentence are kept in the settings but hide nothing."""
    hidden = [i for i in settings.hidden if 0 <= i < keys]
    return ~padding(keys, hidden)[0] if hidden else None  # M
