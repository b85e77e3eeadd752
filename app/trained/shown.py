"""What of a head's weights is shown: whole words or tokens, with or without special tokens, a part of a pair. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from app.model_view import ModelView, Part
from models.pretrained.labels import ModelTokens
from models.pretrained.words import Word, merge_words

Floats = npt.NDArray[np.floating[Any]]
SIDES: dict[Part, tuple[int | None, int | None]] = {
    "all": (None, None), "aa": (0, 0), "ab": (0, 1), "ba": (1, 0), "bb": (1, 1),
}  # fmt: skip


@dataclass(frozen=True)
class Axis:
    """The rows or columns that are shown: their labels, and the tokens that each stands for."""

    labels: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...]

    def place_of(self, token: int) -> int | None:
        """Where a token is shown, None if it is hidden."""
        for place, group in enumerate(self.kept):
            if token in self.groups[group]:
                return place
        return None

    def token_at(self, place: int) -> int:
        """The first token of what is shown at a place."""
        return self.groups[self.kept[place]][0]


def axis(tokens: ModelTokens | None, labels: Sequence[str], view: ModelView, segment: int | None) -> Axis:
    """The axis of these tokens (None: only labels are known) under the session's choices."""
    if tokens is None or len(tokens) != len(labels):
        everything = tuple((index,) for index in range(len(labels)))
        return Axis(tuple(labels), everything, tuple(range(len(labels))))
    words: Sequence[Word] = (
        tokens.groups if view.words else [Word(label, (index,)) for index, label in enumerate(labels)]
    )
    kept = [
        place
        for place, word in enumerate(words)
        if (view.special or not tokens.special[word.tokens[0]])
        and (segment is None or tokens.pair_of[word.tokens[0]] == segment)
    ]
    kept = kept or list(range(len(words)))  # a part that has nothing in it hides nothing
    groups = tuple(word.tokens for word in words)
    return Axis(tuple(words[place].label for place in kept), groups, tuple(kept))


def shown_weights(weights: Tensor, rows: Axis, cols: Axis) -> Floats:
    """Weights … × N × M of tokens as they are shown: … × rows × cols."""
    merged = weights
    if len(rows.groups) < weights.shape[-2] or len(cols.groups) < weights.shape[-1]:
        merged = merge_words(weights, rows.groups, cols.groups)
    return _taken(merged, rows, cols).numpy()


def shown_mask(visible: Tensor | None, rows: Axis, cols: Axis) -> npt.NDArray[np.bool_] | None:
    """True where something may be looked at; a word may be if one of its tokens may."""
    if visible is None:
        return None
    if len(rows.groups) == visible.shape[0] and len(cols.groups) == visible.shape[1]:
        return _taken(visible, rows, cols).numpy()
    by_row = torch.stack([visible[list(group)].any(0) for group in rows.groups])
    by_cell = torch.stack([by_row[:, list(group)].any(1) for group in cols.groups], dim=1)
    return _taken(by_cell, rows, cols).numpy()


def without_sink(weights: Floats, cols: Axis) -> Floats:
    """Weights whose first token is left out: as a sink it takes most of many heads and drowns every other link."""
    if cols.place_of(0) != 0:
        return weights
    kept = weights.copy()
    kept[..., 0] = 0
    return kept


def strongest_only(weights: Floats, count: int) -> Floats:
    """Weights (… × rows × cols) of which every row keeps its `count` largest; the others are 0."""
    if count >= weights.shape[-1]:
        return weights
    places = np.argpartition(-np.nan_to_num(weights), count - 1, axis=-1)[..., :count]
    kept = np.zeros_like(weights)
    np.put_along_axis(kept, places, np.take_along_axis(weights, places, axis=-1), axis=-1)
    return kept


def _taken(values: Tensor, rows: Axis, cols: Axis) -> Tensor:
    return values[..., list(rows.kept), :][..., list(cols.kept)]
