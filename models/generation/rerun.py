"""Models whose cache cannot be used here: everything is read again for every token. Slow, and always right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from models.generation.targets import TargetWriter, named
from models.generation.texts import encoded_prompt, ending_ids, start_id
from models.generation.writer import Prompt, Reading, Writer, numbers_per_row
from models.pretrained.capture import CapturedForward, capture_calls
from models.pretrained.labels import ModelTokens, label_tokens
from models.pretrained.model import ModelTrace, PretrainedModel


@dataclass(frozen=True)
class Read:
    """`ids` are the tokens that the decoder has read, `source` those of the encoder, if there is one."""

    model: PretrainedModel
    ids: tuple[int, ...]
    source: tuple[int, ...] = ()

    @cached_property
    def captured(self) -> CapturedForward:
        """A run over everything; made when it is asked for."""
        inputs = {"input_ids": self.ids} if not self.source else {
            "input_ids": self.source, "decoder_input_ids": self.ids,
        }  # fmt: skip
        tensors = {name: torch.tensor([ids]) for name, ids in inputs.items()}
        return capture_calls(self.model.module, **tensors, use_cache=False)

    def logits(self, count: int) -> Tensor:
        """After the last `count` tokens: count × A."""
        found: Tensor = self.captured.output.logits[0, -count:]
        return found.float()

    def longer(self, ids: Sequence[int]) -> Read:
        return Read(self.model, (*self.ids, *ids), self.source)


class RerunWriter(Writer):
    """A decoder without a usable cache."""

    cached = False

    def __init__(self, model: PretrainedModel) -> None:
        self.model = model
        self.room = min(self.room, model.info.max_positions or self.room)
        self.vocabulary = model.info.vocabulary
        self.numbers_per_row = numbers_per_row(model.info)
        self.ends = ending_ids(model)

    def begin(self, text: str) -> tuple[Prompt, Reading]:
        ids = encoded_prompt(self.model, text, self.room).ids
        state = Read(self.model, ids)
        return Prompt(ids), Reading(state, state.logits(1))

    def read(self, state: Read, ids: Sequence[int]) -> Reading:
        after = state.longer(ids)
        return Reading(after, after.logits(len(ids)))

    def back(self, state: Read, rows: int) -> Read:
        return Read(state.model, state.ids[:rows], state.source)

    def trace(self, prompt: Prompt, written: Sequence[int], state: Read) -> ModelTrace:
        tokens = self.tokens(prompt, written)
        tokens = ModelTokens(tokens.pieces[: len(state.ids)], tokens.texts)
        run = state.captured
        calls = tuple(call.with_labels(tokens.labels, tokens.labels) for call in run.calls)
        streams = dict.fromkeys((call.stream for call in calls), tokens)
        return ModelTrace(streams, calls, run.tier, run.unseen, run.notes, None)

    def tokens(self, prompt: Prompt, written: Sequence[int]) -> ModelTokens:
        encoder = self.model.encoder
        return label_tokens(encoder, encoder.written([*prompt.ids, *written]))


class RerunTargetWriter(TargetWriter):
    """An encoder–decoder such as T5 or Marian."""

    cached = False

    def begin(self, text: str) -> tuple[Prompt, Reading]:
        encoded = encoded_prompt(self.model, text, self.room)
        prompt = Prompt((start_id(self.model),), label_tokens(self.model.encoder, encoded))
        state = Read(self.model, prompt.ids, encoded.ids)
        return prompt, Reading(state, state.logits(1))

    def read(self, state: Read, ids: Sequence[int]) -> Reading:
        after = state.longer(ids)
        return Reading(after, after.logits(len(ids)))

    def back(self, state: Read, rows: int) -> Read:
        return Read(state.model, state.ids[:rows], state.source)

    def trace(self, prompt: Prompt, written: Sequence[int], state: Read) -> ModelTrace:
        run = state.captured
        trace = named(run.calls, prompt, self.tokens(prompt, written), run.tier)
        return ModelTrace(trace.tokens, trace.calls, run.tier, run.unseen, run.notes, None, trace.following)
