"""From logits to the next token: the candidates with their probabilities, and the choice among them.

Sampling draws one number u in 0 … 1 and takes the first candidate, likeliest first, at which the probabilities have
summed up to more than u. The number belongs to the seed and the step: whatever was written and taken back before, step
t of a seed draws the same u.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor

from models.errors import InputError, out_of_range

TEMPERATURES = (0.05, 5.0)
SEEDS = (0, 9999)
SHOWN = 10  # candidates


@dataclass(frozen=True)
class Rule:
    """How the next token is chosen: the likeliest, or with `sampled` by chance, after softmax(logits / temperature)."""

    sampled: bool = False
    temperature: float = 1.0
    seed: int = 7

    def checked(self) -> Rule:
        """The same, if it can be followed. Raises InputError out_of_range."""
        for name, (low, high) in {"temperature": TEMPERATURES, "seed": SEEDS}.items():
            value = getattr(self, name)
            if not low <= value <= high:  # also for NaN
                raise out_of_range(name, value, low, high)
        return self


@dataclass(frozen=True)
class Candidates:
    """The likeliest next tokens: `ids` and their `probabilities`, in falling order, and the probability of all the
    `others` together (`rest`)."""

    ids: tuple[int, ...]
    probabilities: tuple[float, ...]
    rest: float
    others: int


def probabilities(logits: Tensor, temperature: float = 1.0) -> Tensor:
    """softmax(logits / temperature) in float64 (… × A). Raises InputError generation_not_numbers for NaN or +∞."""
    wide = logits.double()
    if bool(wide.isnan().any() | (wide == torch.inf).any()) or not bool(wide.isfinite().any()):
        raise InputError(
            "generation_not_numbers",
            "The model's logits were expected to be numbers; some are NaN or infinite, so no token can be chosen. "
            "Choose another model, or one from before its training went wrong.",
        )
    return (wide / temperature).softmax(-1)  # … A


def candidates(logits: Tensor, temperature: float = 1.0, count: int = SHOWN) -> Candidates:
    """The `count` likeliest tokens after logits (A)."""
    chances = probabilities(logits, temperature)
    ids = (
        logits.double().sort(descending=True, stable=True).indices
    )  # probabilities can agree where logits do not
    values = chances[ids]
    count = min(count, len(ids))
    return Candidates(
        tuple(int(number) for number in ids[:count]),
        tuple(float(value) for value in values[:count]),
        float(values[count:].sum()),
        len(ids) - count,
    )


def choose(logits: Tensor, rule: Rule, step: int) -> int:
    """The id of the next token after logits (A); `step` counts the tokens written before it."""
    if not rule.sampled:
        probabilities(logits)  # refuses what is no number
        return int(logits.argmax())
    values, ids = probabilities(logits, rule.temperature).sort(descending=True, stable=True)
    sums = values.cumsum(-1)
    place = int(torch.searchsorted(sums, draw(rule.seed, step) * sums[-1], right=True))
    return int(ids[min(place, int((values > 0).sum()) - 1)])


def draw(seed: int, step: int) -> float:
    """The number in 0 … 1 of a step of a seed."""
    mixed = hashlib.blake2b(f"{seed}:{step}".encode(), digest_size=4).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(mixed, "big"))
    return float(torch.rand((), generator=generator, dtype=torch.float64))
