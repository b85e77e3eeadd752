"""Whole words in place of tokens: which tokens make a word, and the weights between words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor

from models.tokenizer import tokenize


@dataclass(frozen=True, slots=True)
class Word:
    """A word: what to draw for it, and the indices of the tokens it is made of, one after the other."""

    label: str
    tokens: tuple[int, ...]


def merge_words(
    weights: Tensor,
    groups: Sequence[Word | Sequence[int]],
    key_groups: Sequence[Word | Sequence[int]] | None = None,
) -> Tensor:
    """Weights between words (… × words × words) from weights between tokens (… × N × M).

    The weight on a word is the sum over its tokens, and a word looks as its tokens do on average: so that every row
    still sums to what it did. `key_groups` is for cross-attention, where keys are tokens of another text. Raises
    ValueError if the groups don't hold every token exactly once. (Clark et al. 2019, "What Does BERT Look At?")

        >>> merge_words(torch.tensor([[1.0, 0.0, 0.0], [0.2, 0.8, 0.0], [0.5, 0.1, 0.4]]), [[0], [1, 2]])
        tensor([[1.0000, 0.0000],
                [0.3500, 0.6500]])
    """
    rows = _membership(groups, weights.shape[-2]).argmax(0)  # N, the word of each token
    columns = _membership(groups if key_groups is None else key_groups, weights.shape[-1]).to(
        weights
    )  # words M
    merged = weights @ columns.T  # … N words
    # added up and not multiplied: 0 · NaN would spread a row that is not a number over all others
    sums = merged.new_zeros(*merged.shape[:-2], len(groups), merged.shape[-1]).index_add_(-2, rows, merged)
    return sums / torch.bincount(rows, minlength=len(groups))[:, None]  # … words words


def _membership(groups: Sequence[Word | Sequence[int]], count: int) -> Tensor:
    members = [group.tokens if isinstance(group, Word) else tuple(group) for group in groups]
    if sorted(index for group in members for index in group) != list(range(count)) or not all(members):
        raise ValueError(f"groups that hold each of {count} tokens once were expected, received {members}")
    table = torch.zeros(len(members), count)
    for row, group in enumerate(members):
        table[row, list(group)] = 1
    return table


def word_numbers(text: str, spans: Sequence[tuple[int, int] | None]) -> list[int | None]:
    """For every token's span in the text the number of the word it belongs to; None for white space and unknown places.

    Words are those of the from-scratch engine (`models.tokenizer`): Chinese has them too. A token that reaches over
    several words belongs to the first.
    """
    starts = [token.start for token in tokenize(text, limit=len(text)).pieces]
    found: list[int | None] = []
    for span in spans:
        visible = span and next((place for place in range(*span) if not text[place].isspace()), None)
        found.append(None if visible is None else bisect_right(starts, visible) - 1)
    return found


def consecutive(keys: Sequence[object]) -> list[tuple[int, ...]]:
    """Indices of neighbours with the same key; None is a neighbour of nobody."""
    marks = [(-1 - index) if key is None else key for index, key in enumerate(keys)]
    return [
        tuple(index for index, _ in run) for _, run in groupby(enumerate(marks), key=lambda item: item[1])
    ]
