"""The task whose attention shows pairs: which bracket closes which."""

from __future__ import annotations

import torch
from torch import Tensor

from models.training.problems import problem
from models.training.tasks.base import IGNORE, PAD, Batch, Recipe, Task

KINDS = ("()", "[]", "{}")
MOST = 24


class Brackets(Task):
    """Every bracket says at which place its partner stands, counted from 0: encoder, attention without feed-forward
    layers.

    The right attention leads from every bracket to its partner, whose place can be read off there. The heads of the
    first layer find most partners, those of the next one put right what lies deeper.
    """

    name = "brackets"
    kind = "encoder"
    alphabet = tuple("".join(KINDS))
    others = (*(str(place) for place in range(MOST)), PAD)
    allowed = "( ) [ ] { }"
    example = "([]{()})()"
    lengths = (4, MOST)
    sizes = (64, 2, 2, 0)
    recipe = Recipe(steps=600, batch=64, rate=2e-3)

    def __init__(self, length: int = 12) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return length

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        longest = self.length // 2
        pairs = 1 + (torch.rand(count, generator=generator).sqrt() * longest).long().clamp_max(longest - 1)
        partner = nested(2 * pairs, self.length, generator)  # B M
        inside = partner >= 0
        place = torch.arange(self.length).expand_as(partner)
        opens = partner > place
        drawn = torch.randint(len(KINDS), partner.shape, generator=generator)
        kind = drawn.gather(-1, torch.where(opens, place, partner).clamp_min(0))
        ids = torch.where(inside, 2 * kind + (~opens).long(), self.id(PAD))
        labels = torch.where(inside, partner + len(self.alphabet), IGNORE)
        return Batch(ids, labels, None, ~inside)

    def read(self, text: str) -> list[int]:
        """Raises InputError: task_brackets, where a bracket has no partner."""
        ids = super().read(text)
        self._partners(ids)
        return ids

    def answer(self, text: str) -> str:
        return self.join([str(partner) for partner in self._partners(self.read(text))])

    def join(self, symbols: list[str]) -> str:  # type: ignore[override]
        return " ".join(symbols)

    def _partners(self, ids: list[int]) -> list[int]:
        partners, waiting = [-1] * len(ids), []
        for place, index in enumerate(ids):
            if index % 2 == 0:
                waiting.append(place)
            elif waiting and ids[waiting[-1]] == index - 1:
                partner = waiting.pop()
                partners[place], partners[partner] = partner, place
            else:
                raise problem("task_brackets", place=place, example=self.example)
        if waiting:
            raise problem("task_brackets", place=waiting[-1], example=self.example)
        return partners


def nested(lengths: Tensor, width: int, generator: torch.Generator) -> Tensor:
    """Where the partner of every bracket stands, for random nestings of even `lengths` (B): B × width, −1 behind the
    end. At every place a coin says whether a bracket opens, unless only one of both is possible."""
    count = len(lengths)
    rows = torch.arange(count)
    partner = torch.full((count, width), -1)
    waiting = torch.zeros(count, width + 1, dtype=torch.long)  # the open brackets, the last one on top
    depth = torch.zeros(count, dtype=torch.long)
    heads = torch.rand(count, width, generator=generator) < 0.5
    for place in range(width):
        inside = place < lengths
        opens = inside & ((depth == 0) | (heads[:, place] & (lengths - place > depth)))
        closes = inside & ~opens
        waiting[rows[opens], depth[opens]] = place
        top = waiting[rows, (depth - 1).clamp_min(0)]
        partner[rows[closes], place] = top[closes]
        partner[rows[closes], top[closes]] = place
        depth += opens.long() - closes.long()
    return partner
