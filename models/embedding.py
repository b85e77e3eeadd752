"""Numbers that stand in for learned ones: a vector per word, and weight matrices.

They are drawn from a seed, the same on every machine, and rounded when they are drawn: what a page prints
is exactly what is multiplied.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from models.tokenizer import Token, normalize

Array = np.ndarray[tuple[int], np.dtype[np.float64]]
Vectors = Literal["seeded", "worked"]

SEEDED_STD = 0.8

# The worked example: small enough that every number of the sentence 我 喜欢 苹果 can be checked by hand.
WORKED_VECTORS: dict[str, tuple[float, ...]] = {
    "我": (0.1, 0.2, 0.3),
    "喜欢": (0.4, 0.5, 0.6),
    "苹果": (0.7, 0.8, 0.9),
}


def embed(tokens: Iterable[Token], d_model: int, seed: int = 0, vectors: Vectors = "seeded") -> Tensor:
    """The vectors of `tokens` as the rows of a matrix.

    A word has one vector, wherever it stands and whatever its case. With `vectors="worked"` and `d_model ==
    3` the words of `WORKED_VECTORS` have theirs; all others are drawn from a normal distribution of
    standard deviation 0.8.

    Returns:
        float32, N × D, rounded to two decimals.
    """
    drawn: dict[str, list[float]] = {}
    rows = []
    for token in tokens:
        word = normalize(token.text)
        if word not in drawn:
            drawn[word] = _vector(word, d_model, seed, vectors)
        rows.append(drawn[word])
    return torch.tensor(rows, dtype=torch.float32).reshape(len(rows), d_model)  # N × D


def seeded_matrix(rows: int, cols: int, *, seed: int, name: str, std: float) -> Tensor:
    """A random matrix in place of a learned one, the same for the same seed and name on every machine.

    Returns:
        float32, rows × cols, normal with standard deviation `std`, rounded to two decimals (three if `std <
        0.1`).
    """
    values = _normal(f"matrix {name}", seed, rows * cols) * std
    decimals = 2 if std >= 0.1 else 3
    return torch.tensor(_round(values, decimals), dtype=torch.float32).reshape(rows, cols)


def _vector(word: str, d_model: int, seed: int, vectors: Vectors) -> list[float]:
    if vectors == "worked" and d_model == 3 and word in WORKED_VECTORS:
        return list(WORKED_VECTORS[word])
    values: list[float] = _round(_normal(f"word {word}", seed, d_model) * SEEDED_STD, 2).tolist()
    return values


def _normal(name: str, seed: int, count: int) -> Array:
    """`count` standard normal numbers. PCG64 is named because numpy may change its default generator."""
    digest = hashlib.sha256(f"{seed} {name}".encode("utf-8", "surrogatepass")).digest()
    generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
    return generator.standard_normal(count)


def _round(values: Array, decimals: int) -> Array:
    return np.round(values, decimals) + 0.0  # + 0.0 turns −0.0 into 0.0
