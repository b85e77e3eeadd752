"""Rotary positions: which pairs of dimensions a model turns by which angles, found by trying and checking.

Su et al. 2021. Every model turns pairs of dimensions of q and k; they differ in which two make a pair (a half apart, or
neighbours), in whether all dimensions take part, and in how cosines and sines are handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rotation:
    """out[n, c] = x[n, first[c]] · cos[n, c] + x[n, second[c]] · sin[n, c], the sign folded into sin.

    `pairs` is 2 × K; cos and sin are N × K. A dimension that is not turned has first = second = c and cos = 1.
    """

    pairs: Tensor
    cos: Tensor
    sin: Tensor

    def turn(self, x: Tensor) -> Tensor:
        """x (… N × K) turned, in x's dtype."""
        first, second = self.pairs
        turned: Tensor = x[..., first] * self.cos.to(x.dtype) + x[..., second] * self.sin.to(x.dtype)
        return turned

    def rows(self, index: Tensor) -> Rotation:
        """The rotation of some tokens."""
        return Rotation(self.pairs, self.cos[index], self.sin[index])


def candidates(
    width: int, tokens: int, batch: int, tables: tuple[tuple[Tensor, Tensor], ...]
) -> Iterator[Rotation]:
    """All rotations of vectors of `width` numbers that the given tables of cosines and sines allow."""
    for table in tables:
        for cos, sin in (table, table[::-1]):  # GPT-J hands on sines first
            flat = _per_token(cos, batch, tokens), _per_token(sin, batch, tokens)
            if flat[0] is not None and flat[1] is not None:
                yield from _readings(width, flat[0], flat[1])


def _per_token(table: Tensor, batch: int, tokens: int) -> Tensor | None:
    """tokens × R from a table that may have batch and head dimensions of its own."""
    while table.ndim > 2:
        if table.ndim == 4 and table.shape[1] == tokens and table.shape[2] == 1:  # B × N × 1 × R
            table = table[:, :, 0]
        else:
            table = table[batch if table.shape[0] > batch else 0]
    return table.float() if table.shape[0] == tokens else None


def _readings(width: int, cos: Tensor, sin: Tensor) -> Iterator[Rotation]:
    """The table may have a number for every dimension, or one for every pair."""
    size = cos.shape[1]
    if size % 2 == 0 and size <= width:
        half = size // 2
        yield from _build(width, _halves(size), _signs_of_halves(size), cos, sin)
        yield from _build(width, _neighbours(size), _signs_of_neighbours(size), cos, sin)
        spread = [table[:, :half].repeat_interleave(2, -1) for table in (cos, sin)]
        yield from _build(width, _neighbours(size), _signs_of_neighbours(size), *spread)
        yield from _build(width, _gathered(size), _signs_of_halves(size), cos, sin)
        yield from _build(width, _scattered(size), _signs_of_neighbours(size), *spread)
    if 2 * size <= width:
        doubled = [torch.cat((table, table), -1) for table in (cos, sin)]
        repeated = [table.repeat_interleave(2, -1) for table in (cos, sin)]
        yield from _build(width, _halves(2 * size), _signs_of_halves(2 * size), *doubled)
        yield from _build(width, _neighbours(2 * size), _signs_of_neighbours(2 * size), *repeated)


def _halves(size: int) -> Tensor:
    at = torch.arange(size)
    return torch.stack((at, (at + size // 2) % size))


def _neighbours(size: int) -> Tensor:
    at = torch.arange(size)
    return torch.stack((at, at ^ 1))


def _gathered(size: int) -> Tensor:
    """Neighbours are turned and then sorted into halves (DeepSeek)."""
    order = torch.cat((torch.arange(0, size, 2), torch.arange(1, size, 2)))
    return order[_halves(size)]


def _scattered(size: int) -> Tensor:
    """Halves are turned and then interleaved."""
    order = torch.arange(size).reshape(2, -1).T.reshape(-1)
    return order[_neighbours(size)]


def _signs_of_halves(size: int) -> Tensor:
    return torch.tensor([-1.0] * (size // 2) + [1.0] * (size // 2))


def _signs_of_neighbours(size: int) -> Tensor:
    return torch.tensor([-1.0, 1.0] * (size // 2))


def _build(width: int, pairs: Tensor, signs: Tensor, cos: Tensor, sin: Tensor) -> Iterator[Rotation]:
    """Where the rotation is narrower than the vector it turns the first dimensions, or the last (DeepSeek), and leaves
    the rest."""
    size = pairs.shape[1]
    rest = width - size
    ones, zeros = cos.new_ones(len(cos), rest).float(), sin.new_zeros(len(sin), rest).float()
    cos, sin = cos.float(), (sin * signs.to(sin.device)).float()
    still = torch.arange(rest).expand(2, rest)
    yield Rotation(torch.cat((pairs, still + size), 1), torch.cat((cos, ones), 1), torch.cat((sin, zeros), 1))
    if rest:
        yield Rotation(
            torch.cat((still, pairs + rest), 1), torch.cat((ones, cos), 1), torch.cat((zeros, sin), 1)
        )
