"""What a task is: made-up examples without end, whose right answer is known, and whose right attention is, too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from models.training.problems import problem
from models.transformer.config import Config, Kind

IGNORE = -100  # a label that is not counted, as in torch's cross-entropy
START, END, PAD = "▶", "■", "□"  # how a sequence begins, ends and is filled up


@dataclass(frozen=True)
class Batch:
    """`ids` B × M; `target` B × N is what the decoder of an encoder–decoder has written so far, `labels` B × N what is
    right at each position (IGNORE: not counted), `padded` B × M is True where `ids` is filled up."""

    ids: Tensor
    labels: Tensor
    target: Tensor | None = None
    padded: Tensor | None = None


@dataclass(frozen=True)
class Recipe:
    """How a task is trained: after `steps` batches of `batch` examples its accuracy is at least 99 %, from `seed` as
    tests show. The learning rate rises to `rate` over `warmup` steps, then falls to a twentieth (half a cosine)."""

    steps: int
    batch: int
    rate: float
    warmup: int = 50
    seed: int = 0


class Task(ABC):
    """A task for a model of ours; `length` is how many symbols a text may have.

    `symbols` are the labels of the ids from 0; the first are `alphabet`, what a text may consist of. `example` is a
    text to begin with, `allowed` says in symbols only what may be typed. Where a trained model looks stands in the
    docstring of each task.
    """

    name: ClassVar[str]
    kind: ClassVar[Kind]
    alphabet: ClassVar[tuple[str, ...]]
    others: ClassVar[tuple[str, ...]]
    allowed: ClassVar[str]
    example: ClassVar[str]
    recipe: ClassVar[Recipe]
    lengths: ClassVar[tuple[int, int]]  # the least and the most that can be chosen
    sizes: ClassVar[tuple[int, int, int, int]]  # of the model: d_model, heads, layers, d_ff

    def __init__(self, length: int) -> None:
        self.length = length

    @property
    def symbols(self) -> tuple[str, ...]:
        return (*self.alphabet, *self.others)

    @property
    def config(self) -> Config:
        """The model that the recipe was made for."""
        return Config(self.kind, len(self.symbols), self.context_of(self.length), *self.sizes)

    @staticmethod
    @abstractmethod
    def context_of(length: int) -> int:
        """How many tokens a model needs for texts of `length` symbols."""

    @abstractmethod
    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """`count` examples to train on."""

    def sample_unseen(self, count: int, generator: torch.Generator) -> Batch:
        """`count` examples to measure with. Most tasks draw from so many that each is new; those that have few hold
        some out."""
        return self.sample(count, generator)

    @abstractmethod
    def answer(self, text: str) -> str:
        """The right answer. Raises InputError as `encode` does."""

    def encode(self, text: str) -> Tensor:
        """The ids (M) that a model reads. Raises InputError: task_empty, task_too_long, task_symbol, and what the
        task itself adds."""
        return torch.tensor(self.read(text))

    def read(self, text: str) -> list[int]:
        """The ids of the symbols of a text, checked."""
        known = {symbol: index for index, symbol in enumerate(self.alphabet)}
        text = text.strip()
        if not text:
            raise problem("task_empty", allowed=self.allowed, example=self.example)
        if unknown := [symbol for symbol in text if symbol not in known]:
            raise problem("task_symbol", symbol=unknown[0], allowed=self.allowed)
        if len(text) > self.length:
            raise problem("task_too_long", count=len(text), limit=self.length)
        return [known[symbol] for symbol in text]

    def encode_target(self, answer: str) -> Tensor:
        """The ids (N) that the decoder of an encoder–decoder has written before the end of `answer`: the start and
        `answer`. Raises InputError as `encode` does."""
        return torch.tensor([self.id(START), *self.read(answer)])

    def decode(self, ids: Sequence[int]) -> str:
        """What ids say, up to the end; start and padding say nothing."""
        return self.join(self.spoken(ids))

    def join(self, symbols: Sequence[str]) -> str:
        return "".join(symbols)

    def spoken(self, ids: Sequence[int]) -> list[str]:
        found = []
        for index in ids:
            symbol = self.symbols[index]
            if symbol == END:
                break
            if symbol not in (START, PAD):
                found.append(symbol)
        return found

    def id(self, symbol: str) -> int:
        return self.symbols.index(symbol)

    def sized(self, length: int) -> Task:
        """The same task for texts of another length. Raises InputError: out_of_range."""
        low, high = self.lengths
        if not low <= length <= high:
            raise problem("task_length", low=low, high=high, received=length)
        return type(self)(length)

    def fitting(self, config: Config) -> Task:
        """The same task at the length that a model of `config` was made for. Raises InputError: task_config if no
        length fits, or if kind or vocabulary are another task's; and what `Config.checked` raises."""
        config.checked()
        own = self.config
        for name in ("kind", "vocabulary"):
            if getattr(config, name) != getattr(own, name):
                raise self._does_not_fit(name, getattr(own, name), getattr(config, name))
        low, high = self.lengths
        for length in range(low, high + 1):
            if self.context_of(length) == config.context:
                return type(self)(length)
        raise self._does_not_fit("context", f"{self.context_of(low)}–{self.context_of(high)}", config.context)

    def configured(
        self,
        length: int | None = None,
        d_model: int | None = None,
        heads: int | None = None,
        layers: int | None = None,
    ) -> Config:
        """The recipe's config with another length or other sizes. Raises InputError as `sized` and `checked` do."""
        config = (self if length is None else self.sized(length)).config
        return replace(
            config,
            d_model=config.d_model if d_model is None else d_model,
            heads=config.heads if heads is None else heads,
            layers=config.layers if layers is None else layers,
        ).checked()

    def _does_not_fit(self, name: str, expected: object, received: object) -> Exception:
        return problem("task_config", name=name, task=self.name, expected=expected, received=received)


def lengths_of(count: int, longest: int, generator: torch.Generator, shortest: int = 1) -> Tensor:
    """`count` lengths (B × 1), longer ones more often than short ones, as there is more to learn in them."""
    drawn = torch.rand(count, 1, generator=generator).sqrt()
    return shortest + (drawn * (longest - shortest + 1)).long().clamp_max(longest - shortest)  # B 1
