"""The task on which induction heads form: random symbols that begin anew."""

from __future__ import annotations

import string

import torch

from models.training.tasks.base import IGNORE, Batch, Recipe, Task


class Repeat(Task):
    """Go on with what repeats: decoder-only, attention without feed-forward layers.

    A block of random symbols, all different, is repeated to the end; how long it is differs from text to text. What has
    been there before can be known, and only by finding it: the right attention is an induction head, which looks at the
    symbol that followed the same symbol earlier, on top of a head of the layer below that looks at the symbol before
    (Olsson et al. 2022, "In-context learning and induction heads"). Blocks of a user's own may have a symbol twice, and
    then two things have followed it: such a head cannot tell which of them is right, and the model is sometimes wrong.
    """

    name = "repeat"
    kind = "decoder"
    alphabet = (*string.ascii_lowercase, *string.ascii_uppercase, *string.digits, "-", "_")
    others = ()
    allowed = "a–z A–Z 0–9 - _"
    example = "Zq7pLw3xZq7pLw3xZq7p"
    lengths = (16, 128)
    sizes = (128, 4, 2, 0)
    recipe = Recipe(steps=600, batch=32, rate=1e-3, warmup=100)

    def __init__(self, length: int = 64) -> None:
        super().__init__(length)

    @staticmethod
    def context_of(length: int) -> int:
        return length

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """Blocks of an eighth to half of the length; what cannot be known, the first block, is not counted."""
        period = torch.randint(self.length // 8, self.length // 2 + 1, (count, 1), generator=generator)
        place = torch.arange(self.length).expand(count, self.length)  # B N
        drawn = torch.rand(count, len(self.alphabet), generator=generator).argsort(
            -1
        )  # B 64: each symbol once
        ids = drawn.gather(-1, place % period)
        labels = ids.roll(-1, -1).masked_fill((place < period) | (place == self.length - 1), IGNORE)
        return Batch(ids, labels)

    def answer(self, text: str) -> str:
        """One more block, as far as there is room. A text that does not repeat yet is the block itself."""
        symbols = self.join(self.spoken(self.read(text)))
        period = next(p for p in range(1, len(symbols) + 1) if symbols[p:] == symbols[:-p])
        end = min(len(symbols) + period, self.length)
        return "".join(symbols[place % period] for place in range(len(symbols), end))
