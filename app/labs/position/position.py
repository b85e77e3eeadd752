"""Numbers of the position laboratory: the encoding itself, and how alike two positions are. Computed by the engine."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from models.errors import InputError
from models.positioned import Scheme, bias, bias_table, turned
from models.relative import relative_buckets

MAX_LENGTH = 4096
DRAWN_POSITIONS, DRAWN_DIMENSIONS = 1024, 256  # more do not fit into the picture: every n-th is drawn
DRAWN_BIAS = 96  # positions of the bias's matrix; its curve has them all


@dataclass(frozen=True)
class Sampled:
    """Every `position_step`-th row and `dimension_step`-th column of an encoding."""

    values: Tensor
    position_step: int
    dimension_step: int


def sampled(encoding: Tensor) -> Sampled:
    """As much of an encoding (L × D) as a picture can show."""
    rows = -(-len(encoding) // DRAWN_POSITIONS)
    columns = -(-encoding.shape[1] // DRAWN_DIMENSIONS)
    return Sampled(encoding[::rows, ::columns], rows, columns)


@dataclass(frozen=True)
class Curve:
    """A number for every distance from one place: `distance` and `value` have the same length."""

    place: int
    distance: Tensor
    value: Tensor


def similarity(encoding: Tensor, place: int) -> Curve:
    """The dot products of the encoding at `place` with those of all positions (L × D)."""
    length = len(encoding)
    wide = encoding.double()
    return Curve(place, torch.arange(length) - place, wide @ wide[place])  # L


def turned_similarity(length: int, size: int, base: float, place: int) -> Curve:
    """As `similarity`, for a rotary scheme: the products of one unit vector, with equal parts in all dimensions,
    turned to `place` and to every position."""
    unit = torch.full((1, size), size**-0.5, dtype=torch.float64)
    there = turned(unit.expand(length, size), torch.arange(length), base=base)  # L K
    return Curve(place, torch.arange(length) - place, there @ there[place])


def furthest_apart(one: Curve, other: Curve) -> float:
    """The largest difference of two curves at the distances that both have; 0 if they share none."""
    first = max(int(one.distance[0]), int(other.distance[0]))
    last = min(int(one.distance[-1]), int(other.distance[-1]))
    if last < first:
        return 0.0
    parts = [c.value[first - int(c.distance[0]) : last + 1 - int(c.distance[0])] for c in (one, other)]
    return float((parts[0] - parts[1]).abs().max())


def bias_over_distance(scheme: Scheme, heads: int, length: int) -> Tensor:
    """The bias of every head at the distances j − i = −(L−1) … L−1: H × (2L − 1)."""
    before, after = bias(scheme, heads, length, 1), bias(scheme, heads, 1, length)
    assert before is not None
    assert after is not None
    return torch.cat((before[:, 1:, 0].flip(-1), after[:, 0]), dim=-1)


def buckets_over_distance(scheme: Scheme, length: int) -> Tensor:
    """The bucket of every such distance: 2L − 1, int64."""
    options = {"buckets": scheme.buckets, "furthest": scheme.furthest, "both_ways": scheme.both_ways}
    before, after = relative_buckets(length, 1, **options), relative_buckets(1, length, **options)  # type: ignore[arg-type]
    return torch.cat((before[1:, 0].flip(-1), after[0]))


def checked(scheme: Scheme) -> Scheme:
    """The scheme. Raises InputError, in words for the user, for buckets that leave no room for far distances."""
    exact = scheme.buckets // (4 if scheme.both_ways else 2)
    if scheme.name == "t5" and scheme.furthest <= exact:
        raise InputError(
            "lab_furthest",
            f"The furthest distance must be above {exact}, as {exact} distances have a bucket of their own; "
            f"received {scheme.furthest}. Raise it, or use fewer buckets.",
            exact=exact,
            value=scheme.furthest,
        )
    return scheme


def used_buckets(scheme: Scheme, count: int) -> int:
    """How many different buckets the distances of `count` tokens use."""
    return len(set(buckets_over_distance(scheme, count).tolist()))


def table_value(scheme: Scheme, heads: int, head: int, distance: int) -> tuple[int, float]:
    """The bucket of a distance j − i, and the number that stands in it for a head."""
    length = abs(distance) + 1
    bucket = int(buckets_over_distance(scheme, length)[length - 1 + distance])
    return bucket, float(bias_table(scheme, heads)[bucket, head])
