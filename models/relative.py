"""Positional schemes that act on the scores or on queries and keys, not on the input: rotary, ALiBi, relative bias."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def rotary_angles(positions: Tensor, size: int, *, base: float = 10_000.0) -> Tensor:
    """Angle by which every pair of dimensions turns at every position: N × size/2, float64, in radians.

    θ(pos, i) = pos · base^(−2i/size). Source: Su et al. 2021 (RoFormer), section 3.4.
    Raises ValueError for an odd size: dimensions turn in pairs.
    """
    if size < 2 or size % 2:
        raise ValueError(
            f"an even size of at least 2 was expected (dimensions turn in pairs), received {size}"
        )
    rates = base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)  # K/2
    return positions.double()[:, None] * rates  # N K/2


def rotary(
    x: Tensor, positions: Tensor | None = None, *, base: float = 10_000.0, interleaved: bool = True
) -> Tensor:
    """Queries or keys (… N × K) turned by their position; lengths stay, and q·k depends on the distance alone.

    Dimension pairs are (0, 1), (2, 3) … as in the paper, or with `interleaved=False` (i, i + K/2) as in Llama.
    Positions are 0 … N−1 unless given (N). Computed in float64. Source: Su et al. 2021, equation 34.
    """
    places = torch.arange(x.shape[-2]) if positions is None else positions
    if places.shape != (x.shape[-2],):
        raise ValueError(f"{x.shape[-2]} positions were expected, received {tuple(places.shape)}")
    angles = rotary_angles(places, x.shape[-1], base=base)
    cos, sin = angles.cos(), angles.sin()  # N K/2
    wide = x.double()
    if interleaved:
        a, b = wide[..., 0::2], wide[..., 1::2]
        turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
    else:
        a, b = wide.chunk(2, dim=-1)
        turned = torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return turned.to(x.dtype)  # … N K


def alibi_slopes(heads: int) -> Tensor:
    """One slope per head (H, float64): 2^(−8/n), 2^(−16/n) … for n heads.

    For a number of heads that is no power of two the slopes of the next lower power come first, followed by every
    other slope of the next higher one. Source: Press et al. 2022, section 3, and the authors' code.
    """
    if heads < 1:
        raise ValueError(f"at least 1 head was expected, received {heads}")
    lower = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (h + 1) / lower) for h in range(lower)]
    slopes += [2 ** (-8 * (h + 1) / (2 * lower)) for h in range(0, 2 * (heads - lower), 2)]
    return torch.tensor(slopes, dtype=torch.float64)


def alibi(heads: int, queries: int, keys: int | None = None, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Bias −slope · |i − j| (H × N × M): the further away, the less. Press et al. 2022, section 3.

    The paper is causal, where |i − j| = i − j; for keys that come later the same distance counts.
    """
    distance = _distance(queries, keys).abs().double()
    return (-alibi_slopes(heads)[:, None, None] * distance).to(dtype)  # H N M


def relative_buckets(
    queries: int, keys: int | None = None, *, buckets: int = 32, furthest: int = 128, both_ways: bool = True
) -> Tensor:
    """The bucket of every distance (N × M, int64): small distances have one each, large ones share, logarithmically.

    Distances from `furthest` on share the last bucket. With `both_ways` half of the buckets is for keys that come
    later; without, later keys count as distance 0. Source: Raffel et al. 2020 (T5), section 2.1.
    Raises ValueError for fewer than 4 buckets (2 one way) or a `furthest` that leaves no room for the logarithm.
    """
    least = 4 if both_ways else 2
    exact = buckets // (4 if both_ways else 2)
    if buckets < least or furthest <= exact:
        raise ValueError(
            f"at least {least} buckets and a furthest distance above {exact} were expected, "
            f"received {buckets} and {furthest}"
        )
    distance = _distance(queries, keys)  # j − i
    count = buckets // 2 if both_ways else buckets
    offset = torch.where(distance > 0, count, 0) if both_ways else torch.zeros_like(distance)
    size = distance.abs() if both_ways else (-distance).clamp(min=0)
    # float32 as in transformers: on the edges of buckets the rounding decides
    ratio = torch.log(size.float() / exact) / math.log(furthest / exact)
    shared = (exact + (ratio * (count - exact)).long()).clamp(max=count - 1)
    return offset + torch.where(size < exact, size, shared)  # N M


def relative_bias(table: Tensor, queries: int, keys: int | None = None, **options: int | bool) -> Tensor:
    """A learned number per bucket and head (`table`: buckets × H), spread over all pairs: H × N × M. T5, section 2.1.

    `options` are those of `relative_buckets`; the number of buckets is the table's.
    """
    found = relative_buckets(queries, keys, buckets=table.shape[0], **options)  # type: ignore[arg-type]
    return table[found].permute(2, 0, 1)  # H N M


def _distance(queries: int, keys: int | None) -> Tensor:
    """j − i: positive for keys that come later (N × M)."""
    return torch.arange(queries if keys is None else keys)[None, :] - torch.arange(queries)[:, None]
