"""Translate a number from digits to words, English and Chinese."""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor

from models.training.problems import problem
from models.training.tasks import numerals
from models.training.tasks.base import END, IGNORE, PAD, START, Batch, Recipe, Task

LARGEST = 9_999
HELD_OUT = 1_000  # numbers that are never trained on
ALWAYS_TRAINED = 100  # 0 … 99: each of these has something of its own to learn
_SPLIT_SEED = 20_170_612
_SHARES = (0.05, 0.15, 0.3, 0.5)  # of the numbers with 1, 2, 3 and 4 digits in a batch


class NumberWords(Task):
    """From digits to words: encoder–decoder.

    The right attention is in the cross-attention: whoever writes a word looks at the digit it comes from (for "twelve"
    at two digits), and whoever writes "thousand" or 千 at how many digits there are. A tenth of the numbers is held
    out, drawn once and for all: a model that gets these right has learned the rule.
    """

    kind = "encoder-decoder"
    alphabet = tuple("0123456789")
    words: ClassVar[tuple[str, ...]]
    allowed = "0–9999"
    example = "3021"
    lengths = (4, 4)
    sizes = (64, 4, 2, 128)
    recipe = Recipe(steps=600, batch=64, rate=3e-3)

    def __init__(self, length: int = 4) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return 2 * length + 1  # no number has more words than this, the end among them

    @staticmethod
    @abstractmethod
    def say(number: int) -> list[str]:
        """The words of a number."""

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        return self.batch_of(_trained(count, generator))

    def sample_unseen(self, count: int, generator: torch.Generator) -> Batch:
        return self.batch_of(unseen_numbers()[torch.randint(HELD_OUT, (count,), generator=generator)])

    def batch_of(self, numbers: Tensor) -> Batch:
        """The examples of some numbers (B)."""
        ids, answer = self._table[0][numbers], self._table[1][numbers]  # B M, B N
        padded = answer == self.id(PAD)
        start = torch.full((len(answer), 1), self.id(START))
        target = torch.cat([start, answer[:, :-1]], -1)  # B N
        return Batch(ids, answer.masked_fill(padded, IGNORE), target, ids == self.id(PAD))

    @cached_property
    def _table(self) -> tuple[Tensor, Tensor]:
        """Digits and words of every number, ended and filled up."""
        known = {symbol: index for index, symbol in enumerate(self.symbols)}
        return (
            _filled([[known[d] for d in str(n)] for n in range(LARGEST + 1)], known),
            _filled([[known[w] for w in self.say(n)] for n in range(LARGEST + 1)], known),
        )

    def read(self, text: str) -> list[int]:
        """Digits, also full-width ones. Raises InputError: task_number."""
        text = unicodedata.normalize("NFKC", text).strip()
        ids = super().read(text) if len(text) <= self.length else []
        if not ids or str(int(text)) != text:
            raise problem("task_number", text=text[:40], largest=LARGEST)
        return ids

    def encode(self, text: str) -> Tensor:
        return torch.tensor([*self.read(text), self.id(END)])

    def encode_target(self, answer: str) -> Tensor:
        words = self.split(answer)
        if unknown := [word for word in words if word not in self.words]:
            raise problem("task_words", text=unknown[0][:40], example=self.answer(self.example))
        if len(words) >= self.config.context:
            raise problem("task_too_long", count=len(words), limit=self.config.context - 1)
        return torch.tensor([self.id(START), *map(self.id, words)])

    def answer(self, text: str) -> str:
        return self.join(self.say(int(self.decode(self.read(text)))))

    @abstractmethod
    def split(self, answer: str) -> list[str]:
        """The words of a written answer."""

    def decode(self, ids: Sequence[int]) -> str:
        spoken = self.spoken(ids)
        digits = all(symbol in self.alphabet for symbol in spoken)
        return "".join(spoken) if digits else self.join(spoken)


class EnglishWords(NumberWords):
    """3021 → three thousand twenty-one."""

    name = "words-en"
    words = numerals.ENGLISH
    others = (*numerals.ENGLISH, START, END, PAD)
    say = staticmethod(numerals.english)

    def split(self, answer: str) -> list[str]:
        return answer.lower().replace("-", " ").split()

    def join(self, symbols: Sequence[str]) -> str:
        return numerals.written_in_english(list(symbols))


class ChineseWords(NumberWords):
    """3021 → 三千零二十一."""

    name = "words-zh"
    words = numerals.CHINESE
    others = (*numerals.CHINESE, START, END, PAD)
    say = staticmethod(numerals.chinese)

    def split(self, answer: str) -> list[str]:
        return list("".join(answer.split()))


def _filled(rows: list[list[int]], known: dict[str, int]) -> Tensor:
    """Rows with their end, all as long as the longest."""
    width = max(map(len, rows)) + 1
    return torch.tensor([[*row, known[END], *[known[PAD]] * (width - len(row) - 1)] for row in rows])


@cache
def unseen_numbers() -> Tensor:
    """The numbers that are never trained on."""
    generator = torch.Generator().manual_seed(_SPLIT_SEED)
    drawn = torch.randperm(LARGEST + 1 - ALWAYS_TRAINED, generator=generator)[:HELD_OUT]
    return (ALWAYS_TRAINED + drawn).sort().values


@cache
def _pools() -> tuple[Tensor, ...]:
    """The numbers that are trained on, by how many digits they have."""
    kept = torch.ones(LARGEST + 1, dtype=torch.bool)
    kept[unseen_numbers()] = False
    numbers = kept.nonzero()[:, 0]
    bounds = (-1, 9, 99, 999, LARGEST)
    return tuple(numbers[(numbers > low) & (numbers <= high)] for low, high in pairwise(bounds))


def _trained(count: int, generator: torch.Generator) -> Tensor:
    """Numbers to train on; short ones more often than they are, or they would hardly ever be seen."""
    digits = torch.multinomial(torch.tensor(_SHARES), count, replacement=True, generator=generator)  # B
    share = torch.rand(count, generator=generator)  # B
    chosen = torch.empty(count, dtype=torch.long)
    for index, pool in enumerate(_pools()):
        mine = digits == index
        chosen[mine] = pool[(share[mine] * len(pool)).long()]
    return chosen
