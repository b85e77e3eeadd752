"""Tasks on rows of letters: copy, reverse, sort."""

from __future__ import annotations

import string

import torch
from torch import Tensor

from models.training.tasks.base import END, IGNORE, PAD, START, Batch, Recipe, Task, lengths_of

LETTERS = tuple(string.ascii_lowercase)
THEN = "→"  # behind what is to be sorted


class Copy(Task):
    """Write the same letters again: encoder–decoder.

    The right attention is the diagonal of the cross-attention: whoever writes letter n looks at letter n of the source,
    and the end of the source says when to stop.
    """

    name = "copy"
    kind = "encoder-decoder"
    alphabet = LETTERS
    others = (START, END, PAD)
    allowed = "a–z"
    example = "microscope"
    lengths = (4, 32)
    sizes = (32, 2, 1, 64)
    recipe = Recipe(steps=400, batch=64, rate=4e-3)

    def __init__(self, length: int = 12) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return length + 1  # the end

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        letters, lengths = _letters(count, self.length + 1, self.length, generator)
        ids = _ended(letters, lengths, self.id(END), self.id(PAD))  # B M
        return self._batch(ids, ids)

    def _batch(self, ids: Tensor, answer: Tensor) -> Batch:
        """The decoder begins with the start and always sees the right answer so far ("teacher forcing")."""
        padded = answer == self.id(PAD)
        start = torch.full((len(answer), 1), self.id(START))
        target = torch.cat([start, answer[:, :-1]], -1)  # B N
        return Batch(ids, answer.masked_fill(padded, IGNORE), target, ids == self.id(PAD))

    def encode(self, text: str) -> Tensor:
        return torch.tensor([*self.read(text), self.id(END)])

    def answer(self, text: str) -> str:
        return self.join(self.spoken(self.read(text)))


class Reverse(Task):
    """Say the letters from the last to the first: encoder.

    A text that is short of letters is filled up at its front, and the filling is reversed with it. The right attention
    is the anti-diagonal: place n looks at the place as far from the end as n is from the beginning.
    """

    name = "reverse"
    kind = "encoder"
    alphabet = LETTERS
    others = (PAD,)
    allowed = "a–z"
    example = "stressed"
    lengths = (4, 32)
    sizes = (32, 2, 1, 64)
    recipe = Recipe(steps=400, batch=64, rate=4e-3)

    def __init__(self, length: int = 10) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return length

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        letters, lengths = _letters(count, self.length, self.length, generator)
        filling = torch.arange(self.length) < self.length - lengths  # B M
        ids = letters.masked_fill(filling, self.id(PAD))
        return Batch(ids, ids.flip(-1).masked_fill(filling.flip(-1), IGNORE))

    def encode(self, text: str) -> Tensor:
        """As many ids as the text may have letters at most."""
        letters = self.read(text)
        return torch.tensor([*[self.id(PAD)] * (self.length - len(letters)), *letters])

    def answer(self, text: str) -> str:
        return self.join(self.spoken(self.read(text)))[::-1]


class Sort(Task):
    """Behind the arrow, write each letter once, in the order of the alphabet: decoder-only.

    The right attention: whoever has just written a letter looks, among the letters before the arrow, at the one that
    comes next in the alphabet.
    """

    name = "sort"
    kind = "decoder"
    alphabet = LETTERS
    others = (THEN, END, PAD)
    allowed = "a–z"
    example = "attention"
    lengths = (4, 24)
    sizes = (64, 2, 1, 128)
    recipe = Recipe(steps=600, batch=64, rate=4e-3)

    def __init__(self, length: int = 10) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return 2 * length + 2  # the arrow and the end

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        letters, lengths = _letters(count, self.length, self.length, generator)
        answer, found = _ordered(letters, lengths)  # B L, B 1
        place = torch.arange(self.context_of(self.length)).expand(count, -1)  # B N
        source = letters.gather(-1, place.clamp_max(self.length - 1))
        written = answer.gather(-1, (place - lengths - 1).clamp(0, self.length - 1))
        end = lengths + 1 + found  # B 1
        ids = torch.where(place < lengths, source, written)
        ids = ids.masked_fill(place == lengths, self.id(THEN)).masked_fill(place == end, self.id(END))
        ids = ids.masked_fill(place > end, self.id(PAD))  # B N
        return Batch(ids, ids.roll(-1, -1).masked_fill((place < lengths) | (place >= end), IGNORE))

    def encode(self, text: str) -> Tensor:
        """The letters and the arrow: what the model goes on from."""
        return torch.tensor([*self.read(text), self.id(THEN)])

    def answer(self, text: str) -> str:
        return "".join(sorted(set(self.spoken(self.read(text)))))


def _ordered(letters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """The first `lengths` letters of each row in order, each once (B × L), and how many that are (B × 1)."""
    none = len(LETTERS)  # sorts behind all letters
    inside = torch.arange(letters.shape[-1]) < lengths  # B L
    ordered = letters.masked_fill(~inside, none).sort(-1).values
    again = ordered == ordered.roll(1, -1)
    again[:, 0] = False
    ordered = ordered.masked_fill(again, none).sort(-1).values
    return ordered, (ordered < none).sum(-1, keepdim=True)


def _letters(count: int, width: int, longest: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Letters (B × width) and how many of them count (B × 1)."""
    drawn = torch.randint(len(LETTERS), (count, width), generator=generator)
    return drawn, lengths_of(count, longest, generator)


def _ended(letters: Tensor, lengths: Tensor, end: int, pad: int) -> Tensor:
    place = torch.arange(letters.shape[-1])
    return letters.masked_fill(place == lengths, end).masked_fill(place > lengths, pad)  # B M
