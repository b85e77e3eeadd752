"""How a model made its queries, keys and values from the vectors that came in: found by trying, proved by numbers.

A model's attention module projects its input with a linear layer, may norm each head's vector, may turn it by its
position, may scale it. Which layer, which of its outputs and in which order differs from model to model: every way
that the recorded layers allow is tried, and one is believed only if it gives the numbers the model used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from models.pretrained.call import norms, rotation
from models.pretrained.call.layouts import layouts, matrix
from models.pretrained.call.norms import Norm
from models.pretrained.call.rotation import Rotation
from models.pretrained.recording import Projected, Surroundings

FITS = 1e-5  # largest difference, relative to the largest number, at which a way is believed
SAMPLE = 6  # tokens that are tried first


@dataclass(frozen=True)
class Chain:
    """What happens to a projected vector: norm and rotation in this order, then a factor."""

    norm: Norm | None = None
    turn: Rotation | None = None
    turn_first: bool = False
    factor: float | None = None

    def apply(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """x is H × N × K; `rows` are its tokens if it does not have all."""
        for step in ("turn", "norm") if self.turn_first else ("norm", "turn"):
            if step == "norm" and self.norm is not None:
                x = self.norm.apply(x)
            elif step == "turn" and self.turn is not None:
                x = (self.turn if rows is None else self.turn.rows(rows)).turn(x)
        return x if self.factor is None else x * self.factor


@dataclass(frozen=True)
class Origin:
    """input · W[:, places of the head] + b, then the chain; `deviation` is the largest difference seen, relative.

    `extra` is a bias that the attention module adds beside the layer's own.
    """

    source: Tensor  # N D
    linear: Projected
    places: Tensor  # H K
    chain: Chain
    deviation: float
    extra: Tensor | None = None  # H K

    @property
    def wide(self) -> Norm | None:
        """The norm over all heads together, if there is one."""
        return self.chain.norm if self.chain.norm is not None and self.chain.norm.wide else None

    def weight(self, head: int | None = None) -> tuple[Tensor, Tensor | None]:
        """D × K and K of one head, or D × H·K and H·K of all, in float32."""
        weight, bias = matrix(self.linear.module)
        at = (self.places.flatten() if head is None else self.places[head]).to(weight.device)
        added = None if bias is None else bias[at].float()
        if self.extra is not None:
            extra = self.extra.flatten() if head is None else self.extra[head]
            added = extra.float() if added is None else added + extra.float()
        return weight[:, at].float(), added


def find(target: Tensor, around: Surroundings, batch: int, *, turned: bool) -> Origin | None:
    """How `target` (B × H × N × K, q, k or v) of one batch element was made; None if it cannot be reproduced.

    Only float32 and wider are tried: below that the model's own rounding hides which way was taken.
    """
    if torch.finfo(target.dtype).bits < 32:
        return None
    wanted = target[batch if target.shape[0] > 1 else 0].double()  # H N K
    rows = _sample(wanted)
    if rows is None:
        return None
    times = _repeats(wanted)
    for linear in around.linears:
        source = tokens_of(linear.source, batch, target.shape[0], target.shape[2])
        if source is not None:
            found = _fit(linear, source, wanted[::times], rows, batch, around, turned)
            if found is not None:
                extra = None if found.extra is None else found.extra.repeat_interleave(times, 0)
                return replace(found, places=found.places.repeat_interleave(times, 0), extra=extra)
    return None


def _repeats(wanted: Tensor) -> int:
    """How often each head is repeated: some models copy shared keys and values for every query head themselves."""
    heads = len(wanted)
    for times in range(heads, 1, -1):
        if heads % times == 0:
            groups = wanted.reshape(heads // times, times, *wanted.shape[1:])
            if torch.equal(groups, groups[:, :1].expand_as(groups)):
                return times
    return 1


def tokens_of(source: Tensor, batch: int, batches: int, tokens: int) -> Tensor | None:
    """The vectors of one batch element, N × D, of a layer's input of any shape; None if it has other tokens."""
    width = source.shape[-1]
    count = source.numel() // max(width, 1)
    if count == batches * tokens:
        if (
            source.ndim == 3 and source.shape[:2] == (tokens, batches) and batches != tokens
        ):  # tokens come first
            source = source.transpose(0, 1)
        return source.reshape(batches, tokens, width)[batch if batches > 1 else 0]
    return source.reshape(tokens, width) if count == tokens else None


def _sample(wanted: Tensor) -> Tensor | None:
    """Rows without NaN or infinity, spread over the tokens, the last ones included."""
    finite = wanted.isfinite().all(-1).all(0).nonzero().flatten()
    if len(finite) == 0:
        return None
    return finite[torch.linspace(0, len(finite) - 1, min(SAMPLE, len(finite))).round().long()]


def _fit(
    linear: Projected,
    source: Tensor,
    wanted: Tensor,
    rows: Tensor,
    batch: int,
    around: Surroundings,
    turned: bool,
) -> Origin | None:
    weight, bias = matrix(linear.module)
    flat = source[rows].double() @ weight.double()  # n F
    flat = flat if bias is None else flat + bias.double()
    aim = wanted[:, rows]  # H n K
    heads, tokens, width = wanted.shape
    tables = around.rotations if turned else ()
    turns = list(rotation.candidates(width, tokens, batch, tables))
    tried = list(norms.candidates(around.norms, heads, width))
    extras = [None, *(bias.reshape(heads, width) for bias in around.biases if bias.numel() == heads * width)]
    for places in layouts(flat.shape[1], heads, width):
        both = len(places) * width == flat.shape[1]
        for extra in extras:
            given = flat[:, places].transpose(0, 1)  # H n K
            given = given if extra is None else given + extra[:, None].double()
            for chain in _chains(given, aim, tried, turns, rows, both_orders=both):
                deviation = _difference(chain.apply(given, rows), aim)
                if deviation <= FITS:
                    return Origin(source, linear, places, chain, deviation, extra)
    return None


def _chains(
    given: Tensor, aim: Tensor, tried: list[Norm], turns: list[Rotation], rows: Tensor, *, both_orders: bool
) -> Iterator[Chain]:
    """Ways that fit the first head, with the factor that fits it."""
    for norm in (None, *tried):
        start = given if norm is None else norm.apply(given)
        if _turned(start[0], aim[0]):
            for turn in (None, *turns):
                yield from _scaled(Chain(norm, turn), given, aim, rows)
        if both_orders and norm is not None and not norm.wide:
            for turn in turns:
                yield from _scaled(Chain(norm, turn, turn_first=True), given, aim, rows)


def _scaled(chain: Chain, given: Tensor, aim: Tensor, rows: Tensor) -> Iterator[Chain]:
    guess = chain.apply(given, rows)[0]
    factor = float((guess * aim[0]).sum() / (guess * guess).sum().clamp_min(1e-300))
    if abs(factor - 1) < FITS:
        factor = 1.0
    if _difference(guess * factor, aim[0]) <= FITS:
        yield chain if factor == 1.0 else replace(chain, factor=factor)


def _turned(start: Tensor, aim: Tensor) -> bool:
    """Whether the vectors `aim` can be the vectors `start`, turned and scaled: a rotation keeps lengths. A quick test
    that spares trying; vectors of zeros stay zeros."""
    before, after = start.norm(dim=-1), aim.norm(dim=-1)
    there = (before > 0) & (after > 0)
    if not bool(there.any()):
        return True
    sizes = after[there] / before[there]
    return bool(((sizes - sizes.median()).abs() <= 1e-4 * sizes.median()).all())


def _difference(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().max() / b.abs().max().clamp_min(1e-30))
