"""What a dot product measures: two lengths and an angle; and how to draw vectors of many dimensions in a plane."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Product:
    """q·k taken apart: `query` = |q|, `key` = |k|, `cosine` = cos θ (NaN if a length is 0), `dot` = q·k."""

    query: float
    key: float
    cosine: float
    dot: float

    @property
    def degrees(self) -> float:
        """The angle θ, from 0 to 180 (NaN if a length is 0)."""
        return float(torch.rad2deg(torch.acos(torch.tensor(self.cosine, dtype=torch.float64))))


def take_apart(query: Tensor, key: Tensor) -> Product:
    """|q|, |k| and cos θ of two vectors (K each), in float64: q·k = |q|·|k|·cos θ."""
    q, k = query.double(), key.double()
    dot = float(q @ k)
    lengths = float(q.square().sum().sqrt()), float(k.square().sum().sqrt())
    both = lengths[0] * lengths[1]
    cosine = min(1.0, max(-1.0, dot / both)) if both > 0 else float("nan")
    return Product(*lengths, cosine, dot)


def spanned_plane(query: Tensor, key: Tensor) -> Tensor:
    """Both vectors in the plane that they span (2 × 2, float64): q lies on the first axis, k above or on it.

    Exact: lengths, angle and product are those of the K-dimensional vectors.
    """
    q, k = query.double(), key.double()
    across = _direction(q)
    along = float(k @ across)
    rest = k - along * across
    length = float(q.square().sum().sqrt())
    return torch.tensor([[length, 0.0], [along, float(rest.square().sum().sqrt())]], dtype=torch.float64)


def around_query(query: Tensor, keys: Tensor) -> Tensor:
    """All keys (M × K) around one query (K) in a plane: M × 2, float64, with the query on the first axis.

    Every key has its own length, its own angle to the query and so its own product: the first coordinate times |q| is
    q·k, the second is the length of what is left. Which side of the query that lies on is decided by the first
    principal direction of what is left (not centred); angles between two keys are not kept.
    """
    wide, across = keys.double(), _direction(query.double())
    along = wide @ across  # M
    rest = wide - along[:, None] * across  # M K
    _, _, directions = torch.linalg.svd(rest, full_matrices=False)
    side = rest @ directions[0]  # M
    if float(side[side.abs().argmax()]) < 0:
        side = -side
    lengths = rest.square().sum(-1).sqrt()  # M
    return torch.stack((along, torch.where(side < 0, -lengths, lengths)), dim=-1)


def _direction(vector: Tensor) -> Tensor:
    """The unit vector of the same direction; the first axis for a vector without length."""
    length = vector.square().sum().sqrt()
    if float(length) > 0:
        return vector / length
    first = torch.zeros_like(vector)
    first[0] = 1.0
    return first
