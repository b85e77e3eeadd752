"""Numbers of the order laboratory: the same tokens in another order, or one token replaced. Computed by the engine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from models.embedding import embed
from models.errors import InputError
from models.masks import causal
from models.positioned import Placed, Scheme, attend, permuted
from models.rounding import distances
from models.settings import Settings
from models.tokenizer import Token, tokenize
from models.trace import Trace

SCHEMES = ("none", "sinusoidal", "rotary", "alibi", "t5")


@dataclass(frozen=True)
class Moved:
    """Outputs (N × D, float64) before and after, row by row of the same tokens. `far` is the length of each one's
    difference as it was computed (N), `sizes` the same with rounding left away."""

    before: Tensor
    after: Tensor

    @property
    def far(self) -> Tensor:
        moved: Tensor = (self.after - self.before).square().sum(-1).sqrt()
        return moved

    @property
    def sizes(self) -> Tensor:
        return distances(self.before, self.after)

    @property
    def count(self) -> int:
        """How many outputs moved by more than rounding."""
        return int((self.sizes > 0).sum())

    @property
    def most(self) -> int:
        return int(self.far.argmax())


def read_order(text: str, count: int) -> tuple[int, ...] | None:
    """The order in a query parameter ("2,0,1"), None if it is no order of `count` tokens."""
    parts = text.split(",")
    if len(parts) != count or not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
        return None
    order = tuple(int(part) for part in parts)
    return order if sorted(order) == list(range(count)) else None


def write_order(order: Sequence[int]) -> str:
    return ",".join(map(str, order))


def shuffled(count: int, seed: int) -> tuple[int, ...]:
    """A random order, the same for the same seed; never the original one if there is another."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return tuple(order) if order != sorted(order) or count < 2 else (*range(1, count), 0)


def shuffle(settings: Settings, trace: Trace, scheme: Scheme, order: Sequence[int]) -> Moved:
    """The outputs of the tokens in their own order, and of the same tokens in `order`, put back in place."""
    before, after = (_outputs(settings, trace, scheme, o) for o in (range(len(order)), order))
    back = sorted(range(len(order)), key=lambda place: order[place])
    return Moved(before.output, permuted(after.output, back))


def _outputs(settings: Settings, trace: Trace, scheme: Scheme, order: Sequence[int]) -> Placed:
    """Padding goes along with its token; a causal mask stays where it is."""
    embedding = trace["embedding"].value
    padded = None if trace.padded is None else permuted(trace.padded, order)
    return attend(
        permuted(embedding, order), trace, scheme, causal=_mask(settings, len(order)), padded=padded
    )


def replace_word(settings: Settings, trace: Trace, scheme: Scheme, place: int, word: str) -> Moved:
    """The outputs before and after token `place` becomes `word`. Raises InputError if that is not one token."""
    embedding = trace["embedding"].value
    changed = embedding.clone()
    changed[place] = embed([one_token(word)], settings.d_model, settings.seed, settings.vectors)[0]
    before, after = (
        attend(x, trace, scheme, causal=_mask(settings, len(x)), padded=trace.padded)
        for x in (embedding, changed)
    )
    return Moved(before.output, after.output)


def one_token(word: str) -> Token:
    """The token that the word is. Raises InputError if it is none, or several."""
    tokens = tokenize(word, limit=8)
    if len(tokens) != 1:
        raise InputError(
            "lab_one_token",
            f"One word was expected, received {len(tokens)} tokens. Type a single word.",
            count=len(tokens),
        )
    return tokens[0]


def _mask(settings: Settings, count: int) -> Tensor | None:
    return causal(count) if settings.mask == "causal" else None


def same_vectors(moved: Moved, order: Sequence[int]) -> Tensor:
    """N × N: 1 where the output at a place of the new order (row) is the very vector that the old sentence had at a
    place (column), else 0. Where a shuffle only moves outputs about, this is its permutation matrix P: Y′ = P·Y."""
    after = permuted(moved.after, order)
    return (distances(moved.before[None], after[:, None]) == 0).double()  # N N
