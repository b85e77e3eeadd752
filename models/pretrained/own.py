"""A transformer that was trained here, with the surface of a pretrained model: every page works on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from models.pretrained.info import ModelInfo
from models.pretrained.labels import ModelToken, ModelTokens
from models.pretrained.model import ModelTrace
from models.pretrained.own_calls import run
from models.pretrained.problems import problem
from models.training.checkpoint import SHIPPED, shipped
from models.training.tasks.base import END, PAD, START, Task
from models.training.tasks.letters import THEN
from models.transformer.model import Transformer

OWN_MODELS = SHIPPED  # come with the app: models/checkpoints
SPECIAL = frozenset((START, END, PAD, THEN))
TIER = 0  # nothing had to be caught: the model is our own


@dataclass(frozen=True)
class Output:
    """As far as other models' outputs are used: `logits` 1 × N × vocabulary."""

    logits: Tensor


class OwnModel:
    """A `Transformer` with the task it was trained on. Nothing in it changes, so all threads may share it."""

    takes_pairs = False

    def __init__(self, module: Transformer, task: Task, *, name: str, source: str) -> None:
        self.module, self.task = module.eval(), task
        self.info = _describe(module, name, source)
        self.writer: Any = None  # as in PretrainedModel

    @property
    def writes(self) -> bool:
        """Whether it goes on by itself, token by token."""
        return self.module.decoder is not None

    def trace(
        self, text: str, pair: str | None = None, *, target: str | None = None, limit: int | None = None
    ) -> ModelTrace:
        """Runs the model on `text`; see `PretrainedModel.trace`. `limit` has no meaning here: a task has its own.

        A model that writes an answer (words, sorted letters) writes it first, greedily, unless `target` says what the
        decoder has written. Raises InputError: task_…, model_no_pairs, model_no_target.
        """
        del limit
        if pair and pair.strip():
            raise problem("model_no_pairs", model=self.info.name)
        ids = self.task.encode(text)
        if self.module.encoder is None or self.module.decoder is None:
            return self._one_stack(text, ids, target)
        written = self._given(target) if target and target.strip() else self._greedy(ids)
        return self._traced(text, ids.tolist(), written)

    def tokens(self, ids: Sequence[int], text: str = "") -> ModelTokens:
        """The labelled tokens of some ids."""
        return ModelTokens(tuple(self._token(index, place) for place, index in enumerate(ids)), (text,))

    def _one_stack(self, text: str, ids: Tensor, target: str | None) -> ModelTrace:
        if target and target.strip():
            raise problem("model_no_target", model=self.info.name)
        read = ids.tolist()
        if self.module.decoder is not None and END in self.task.symbols:
            read = self._continued(read)
        calls, logits = run(self.module, read)
        tokens = self.tokens(read, text)
        named = tuple(call.with_labels(tokens.labels, tokens.labels) for call in calls)
        stream = "encoder" if self.module.decoder is None else "decoder"
        return ModelTrace({stream: tokens}, named, TIER, {}, (), Output(logits[None]))

    def _traced(self, text: str, ids: list[int], written: list[int]) -> ModelTrace:
        """`written` begins with the start; the last of it is what was written last, and is not read any more."""
        source, after = self.tokens(ids, text), self.tokens(written[1:])
        before = self.tokens(written[:-1])
        calls, logits = run(self.module, ids, written[:-1])
        named = tuple(
            call.with_labels(
                (source if call.stream == "encoder" else before).labels,
                (before if (call.stream, call.kind) == ("decoder", "self") else source).labels,
            )
            for call in calls
        )
        streams = {"encoder": source, "decoder": before}
        return ModelTrace(streams, named, TIER, {}, (), Output(logits[None]), after.labels)

    def _given(self, target: str) -> list[int]:
        """A target that a user gives, with the end behind it."""
        return [*self.task.encode_target(target).tolist(), self.task.id(END)]

    @torch.no_grad()
    def _greedy(self, ids: Tensor) -> list[int]:
        """What the decoder writes: the start, and the likeliest next symbol until the end or until there is no room."""
        written = [self.task.id(START)]
        while len(written) <= self.module.config.context:
            logits = self.module(ids[None], torch.tensor([written]))[0, -1]
            written.append(int(logits.argmax()))
            if written[-1] == self.task.id(END):
                break
        return written

    @torch.no_grad()
    def _continued(self, ids: list[int]) -> list[int]:
        """The ids with what the model writes behind them, up to the end or to its last position."""
        ids = list(ids)
        while len(ids) < self.module.config.context and ids[-1] != self.task.id(END):
            ids.append(int(self.module(torch.tensor([ids]))[0, -1].argmax()))
        return ids

    def _token(self, index: int, place: int) -> ModelToken:
        symbol = self.task.symbols[index]
        special = symbol in SPECIAL
        return ModelToken(
            index, symbol, symbol, special, False, None if special else 0, word=None if special else place
        )


def _describe(module: Transformer, name: str, source: str) -> ModelInfo:
    config = module.config
    layers: dict[tuple[str, str], int] = {}
    for place in module.places():
        layers[place.stream, place.kind] = layers.get((place.stream, place.kind), 0) + 1
    return ModelInfo(
        name=name,
        architecture=f"Transformer, {config.kind}",
        layers=layers,
        heads=config.heads,
        kv_heads=config.heads,
        d_model=config.d_model,
        head_dim=config.d_model // config.heads,
        ragged=False,
        positions=config.position,
        vocabulary=config.vocabulary,
        max_positions=config.context,
        parameters=sum(parameter.numel() for parameter in module.parameters()),
        dtype="float32",
        computed_in="float32",
        licence=None,
        source=source,
        numbers={stack: tuple(range(count)) for stack, count in layers.items()},
    )


@cache
def shipped_model(name: str) -> OwnModel:
    """A model of `OWN_MODELS`, read from the file that comes with the app."""
    trained = shipped(name)
    return OwnModel(trained.model, trained.task, name=name, source=f"models/checkpoints/{name}.safetensors")
