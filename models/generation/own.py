"""Transformers of our own that write, with the KV cache of `models.transformer.cache`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from models.generation.targets import named
from models.generation.writer import Prompt, Reading, Writer, numbers_per_row, refusal
from models.pretrained.call import AttentionCall
from models.pretrained.labels import ModelTokens
from models.pretrained.model import ModelTrace
from models.pretrained.naming import Place
from models.pretrained.own import TIER, OwnModel
from models.pretrained.own_calls import recorded
from models.training.tasks.base import END, PAD, START
from models.transformer.blocks import Attended
from models.transformer.cache import Cache, visible_behind


@dataclass(frozen=True)
class Read:
    """`cache` is the model's; `inputs` are what went into its decoder's attentions, per reading; `encoder` what went
    into those of its encoder."""

    cache: Cache
    encoder: tuple[Attended, ...] = ()
    inputs: tuple[tuple[Attended, ...], ...] = ()

    def attended(self) -> list[Attended]:
        """What went into every attention, of everything read."""
        return [*self.encoder, *(_joined(parts) for parts in zip(*self.inputs, strict=True))]


def _joined(parts: Sequence[Attended]) -> Attended:
    x = torch.cat([part.x for part in parts], 1)  # 1 N D
    mask = visible_behind(0, x.shape[1]) if parts[0].kind == "self" else parts[0].mask
    return replace(parts[0], x=x, mask=mask)


class OwnWriter(Writer):
    """A decoder or encoder–decoder that was trained here."""

    def __init__(self, model: OwnModel) -> None:
        self.model, self.module = model, model.module
        self.both = self.module.encoder is not None
        self.room = min(self.room, self.module.config.context)
        self.vocabulary = self.module.config.vocabulary
        self.numbers_per_row = numbers_per_row(model.info)
        known = model.task.symbols
        self.ends = frozenset(index for index, symbol in enumerate(known) if symbol in (END, PAD))

    @torch.no_grad()
    def begin(self, text: str) -> tuple[Prompt, Reading]:
        """Raises InputError as the model's task does for a text, and grow_prompt_too_long."""
        ids = self.model.task.encode(text)
        if len(ids) > self.module.config.context or (not self.both and len(ids) >= self.room):
            raise refusal("grow_prompt_too_long", tokens=len(ids), room=self.room - 1)
        if not self.both:
            prompt = Prompt(tuple(ids.tolist()))
            return prompt, self.read(Read(self.module.start()), prompt.ids)
        heard: list[Attended] = []
        cache = self.module.start(ids[None], heard=heard.append)
        prompt = Prompt((self.model.task.id(START),), self.model.tokens(ids.tolist(), text))
        return prompt, self.read(Read(cache, tuple(heard)), prompt.ids)

    @torch.no_grad()
    def read(self, state: Read, ids: Sequence[int]) -> Reading:
        heard: list[Attended] = []
        logits, cache = self.module.read(torch.tensor([list(ids)]), state.cache, heard.append)
        after = replace(state, cache=cache, inputs=(*state.inputs, tuple(heard)))
        return Reading(after, logits[0])

    def back(self, state: Read, rows: int) -> Read:
        kept, left = [], rows
        for reading in state.inputs:
            count = reading[0].x.shape[1]
            if left > 0:
                kept.append(tuple(replace(part, x=part.x[:, :left]) for part in reading))
            left -= count
        return replace(state, cache=state.cache.cropped(rows), inputs=tuple(kept))

    @torch.no_grad()
    def trace(self, prompt: Prompt, written: Sequence[int], state: Read) -> ModelTrace:
        calls = []
        for place, attended in zip(self.module.places(), state.attended(), strict=True):
            name = f"{place.stream}.blocks.{place.layer}.{place.kind}_attention"
            at = Place(place.stream, place.kind, place.layer)
            calls.append(AttentionCall(recorded(attended, name), at))
        tokens = self.tokens(prompt, written)
        if self.both:
            return named(calls, prompt, tokens, TIER)
        read = replace(tokens, pieces=tokens.pieces[: state.cache.length])
        labelled = tuple(call.with_labels(read.labels, read.labels) for call in calls)
        return ModelTrace({"decoder": read}, labelled, TIER, {}, (), None)

    def tokens(self, prompt: Prompt, written: Sequence[int]) -> ModelTokens:
        return self.model.tokens([*prompt.ids, *written])
