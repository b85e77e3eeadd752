"""Decoders of transformers that write: with their KV cache, each token costs one row."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from models.generation.caught import Caught, KeysValues
from models.generation.texts import encoded_prompt, ending_ids
from models.generation.writer import Prompt, Reading, Writer, numbers_per_row
from models.pretrained.call import AttentionCall
from models.pretrained.labels import ModelTokens, label_tokens
from models.pretrained.model import ModelTrace, PretrainedModel
from models.pretrained.naming import Place
from models.pretrained.recording import Recorded
from models.pretrained.session import Session, listening

TIER = 1


@dataclass(frozen=True)
class Read:
    """`known` are the keys and values in the model's cache, per layer; `caught` its attention."""

    rows: int = 0
    known: tuple[KeysValues, ...] = ()
    caught: Caught = field(default_factory=Caught)


class CausalWriter(Writer):
    """A decoder such as Llama or GPT-2, with its cache. `places` says where its attention calls are."""

    def __init__(self, model: PretrainedModel, places: Sequence[Place]) -> None:
        self.model, self.places = model, tuple(places)
        self.room = min(self.room, model.info.max_positions or self.room)
        self.vocabulary = model.info.vocabulary
        self.numbers_per_row = numbers_per_row(model.info)
        self.ends = ending_ids(model)
        self._keeps = "logits_to_keep" in inspect.signature(model.module.forward).parameters

    def begin(self, text: str) -> tuple[Prompt, Reading]:
        ids = encoded_prompt(self.model, text, self.room).ids
        return Prompt(ids), self._read(Read(), ids, keep=1)

    def read(self, state: Read, ids: Sequence[int]) -> Reading:
        return self._read(state, ids, keep=len(ids))

    def _read(self, state: Read, ids: Sequence[int], keep: int) -> Reading:
        """Reads ids behind what is in the cache; logits after the last `keep` of them."""
        output, calls, cache = self.run(state.known, ids, keep)
        after = Read(state.rows + len(ids), known_of(cache), state.caught.with_more(calls))
        return Reading(after, output.logits[0, -keep:].float())

    def run(
        self, known: Iterable[KeysValues], ids: Sequence[int], keep: int
    ) -> tuple[Any, list[Recorded], DynamicCache]:
        """The model's output for ids behind `known` keys and values, the attention that was heard, and the cache."""
        cache = filled_cache(known)
        inputs: dict[str, Any] = {"input_ids": torch.tensor([list(ids)]), "cache": cache, "use_cache": True}
        if self._keeps:
            inputs["logits_to_keep"] = keep
        module = self.model.module
        with torch.inference_mode(), listening(Session(module, 1)) as session:
            output = module(**inputs)
        return output, session.calls, cache

    def back(self, state: Read, rows: int) -> Read:
        if rows == 0:
            return Read()
        known = tuple((key[..., :rows, :], value[..., :rows, :]) for key, value in state.known)
        return Read(rows, known, state.caught.first(rows))

    def trace(self, prompt: Prompt, written: Sequence[int], state: Read) -> ModelTrace:
        tokens = first_tokens(self.tokens(prompt, written), state.rows)
        calls = tuple(
            AttentionCall(call, place).with_labels(tokens.labels, tokens.labels)
            for call, place in zip(state.caught.whole, self.places, strict=True)
        )
        streams = dict.fromkeys((place.stream for place in self.places), tokens)
        return ModelTrace(streams, calls, TIER, {}, (), None)

    def tokens(self, prompt: Prompt, written: Sequence[int]) -> ModelTokens:
        encoder = self.model.encoder
        return label_tokens(encoder, encoder.written([*prompt.ids, *written]))


def first_tokens(tokens: ModelTokens, count: int) -> ModelTokens:
    """The first tokens; all of them if there are no more."""
    if len(tokens) <= count:
        return tokens
    return ModelTokens(tokens.pieces[:count], tokens.texts, tokens.cut, tokens.unread)


def filled_cache(known: Iterable[KeysValues]) -> DynamicCache:
    """A cache of transformers that holds these keys and values. It keeps all of them, of layers with a sliding window
    too: the model's mask hides what is too far away. Nothing is copied; what the model adds goes into new tensors."""
    cache = DynamicCache()
    for key, value in known:
        layer = DynamicLayer()  # type: ignore[no-untyped-call]
        layer.lazy_initialization(key, value)
        layer.keys, layer.values = key, value
        cache.layers.append(layer)
    return cache


def known_of(cache: DynamicCache) -> tuple[KeysValues, ...]:
    """Keys and values of every layer of a cache that `filled_cache` began."""
    layers: list[Any] = cache.layers
    return tuple((layer.keys, layer.values) for layer in layers)
