"""What the page of this folder shows: the same numbers for the page that paints and for the test that reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MatrixCase:
    values: Floats
    scale: str = "signed"
    mask: Bools | None = None
    padded: Bools | None = None
    height: int = 300

    def hidden(self, row: int, col: int) -> bool:
        masked = self.mask is not None and not self.mask[row, col]
        return masked or (self.padded is not None and bool(self.padded[row, col]))


def _numbers(rows: int, cols: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).standard_normal((rows, cols)).astype(np.float32)


def weights_of(heads: int, queries: int, keys: int, mask: Bools | None = None, seed: int = 2) -> Floats:
    """Weights H × N × M that sum to 1 in every row that sees a key, and that are far from symmetric."""
    scores = np.random.default_rng(seed).standard_normal((heads, queries, keys)) * 2
    exponentials = np.exp(scores) * (True if mask is None else mask)
    total = exponentials.sum(-1, keepdims=True)
    found: Floats = np.divide(exponentials, total, out=np.zeros_like(exponentials), where=total > 0).astype(
        np.float32
    )
    return found


def _looks() -> MatrixCase:
    values = np.array([[0.25, 0.0, -2.5, 0.5, np.nan], [-1.5, 0.004, 2.0, -3.25, np.inf]], np.float32)
    mask, padded = np.ones((2, 5), bool), np.zeros((2, 5), bool)
    mask[0, 2], padded[1, 0] = False, True
    return MatrixCase(values, mask=mask, padded=padded, height=160)


def _broken(rows: int, cols: int) -> Floats:
    values = _numbers(rows, cols)
    values[1, 2], values[2, 1] = np.nan, 0
    return values


TRIL = np.tril(np.ones((6, 6), bool))
MATRICES: dict[str, MatrixCase] = {
    "looks": _looks(),
    "one cell": MatrixCase(np.array([[-0.5]], np.float32)),
    "equal sides": MatrixCase(_numbers(7, 7)),
    "weights, causal": MatrixCase(weights_of(1, 6, 6, TRIL)[0], "weights", mask=TRIL),
    "too many to print": MatrixCase(_broken(40, 40), height=420),
    "an image": MatrixCase(_broken(150, 150), height=420),
    "an image of weights": MatrixCase(weights_of(1, 120, 120)[0], "weights", height=420),
}


@dataclass(frozen=True)
class HeadsCase:
    weights: Floats  # H N M
    mask: Bools | None = None
    layers: int = 0  # 0: folded, no table


def _damaged(weights: Floats) -> Floats:
    weights[1, 2, 3] = np.nan
    return weights


HEADS: dict[str, HeadsCase] = {
    "three": HeadsCase(weights_of(3, 12, 12)),
    "causal": HeadsCase(weights_of(4, 6, 6, TRIL), TRIL),
    "not a number": HeadsCase(_damaged(weights_of(2, 8, 8))),
    "layers": HeadsCase(weights_of(12, 9, 9), layers=3),
}


@dataclass(frozen=True)
class LinksCase:
    weights: Floats
    pinned: int | None = None
    padded: tuple[int, ...] = ()


def _uneven() -> Floats:
    weights = weights_of(1, 5, 5)
    weights[0, 3] = 0
    weights[0, 4] = np.nan
    return weights


LINKS: dict[str, LinksCase] = {
    "all": LinksCase(weights_of(2, 6, 6)),
    "one query": LinksCase(weights_of(2, 6, 6), pinned=2),
    "another sequence": LinksCase(weights_of(1, 3, 7), pinned=1, padded=(6,)),
    "zeros and no numbers": LinksCase(_uneven()),
}

VALUES: dict[str, dict[str, Any]] = {
    "measured": {"values": [0.0, 0.1, 0.5, 1.0, 0.25, float("nan")], "columns": 3, "top": 1.0},
    "more than one": {"values": [2.0, 0.0, 4.0, 1.0], "columns": 2, "top": 4.0},
}
TOKENS = ["I", "love", "you", "and", "NLP", ".", "too"]


# An encoding: positions × dimensions, with the waves of the first two dimensions.
ENCODED = _numbers(24, 8, seed=7)
ENCODED[3, 2], ENCODED[5, 4] = 0, np.nan
WAVES = (4, 5)

# Losses and a share over the steps of a training; the second loss was not measured at step 20.
STEPS = (0, 10, 20, 30, 40)
LOSSES = {"q": (2.0, 1.5, 1.0, 0.25, 0.0), "k": (1.0, 0.5, float("nan"), 0.75, 2.0)}
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
SNAPSHOTS = (0, 20, 40)

# Arrows of a plane: name, x, y, hue.
ARROWS = (("a", 1.0, 2.0, "q"), ("b", -1.5, 0.5, "k"), ("c", 0.5, -2.0, "v"))
REACH = 2.5

# The places of attention of a transformer: weights and mask.
PLACES: dict[str, tuple[Floats, Bools | None]] = {
    "encoder": (weights_of(1, 6, 6, seed=11)[0], None),
    "decoder": (weights_of(1, 6, 6, TRIL, seed=12)[0], TRIL),
    "cross": (weights_of(1, 6, 4, seed=13)[0], None),
}
