"""Small pictures of all heads: thin lines survive, masked is not zero, layers may differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor

from app.trained.pictures import CELLS, draw_pictures, picture_side
from app.trained.shown import Axis
from components.head_grid import LOW, MASKED, ZERO, Link
from models.pretrained.labels import ModelToken, ModelTokens


@dataclass
class Call:
    """As much of a call as the pictures look at."""

    heads_weights: Tensor  # H N M
    kind: str = "self"
    stream: str = "main"
    causal: bool = False
    padded: Tensor | None = None

    @property
    def heads(self) -> int:
        return self.heads_weights.shape[0]

    @property
    def queries(self) -> int:
        return self.heads_weights.shape[1]

    @property
    def keys(self) -> int:
        return self.heads_weights.shape[2]

    def weights_of_heads(self, heads: range) -> Tensor:
        return self.heads_weights[heads.start : heads.stop]

    def visible(self) -> Tensor | None:
        return torch.ones(self.queries, self.keys).tril().bool() if self.causal else None


def draw(*calls: Call, ids: Sequence[int] = (), special: int = -1, **more: object):  # type: ignore[no-untyped-def]
    pieces = tuple(ModelToken(number, "x", "x", index == special) for index, number in enumerate(ids))
    tokens = dict.fromkeys(("main", "encoder"), ModelTokens(pieces, ("",)))
    return draw_pictures(calls, tokens, **more)  # type: ignore[arg-type]


def test_a_diagonal_of_500_tokens_survives() -> None:
    pictures = draw(Call(torch.eye(500)[None] * 0.96))
    assert pictures.side == 64
    codes = pictures.codes[0]
    assert (codes.diagonal() > 240).all()
    assert (codes[np.triu_indices(64, 2)] == ZERO).all()


def test_masked_is_not_zero() -> None:
    weights = torch.eye(6)[None]
    codes = draw(Call(weights, causal=True)).codes[0]
    assert (codes[np.triu_indices(6, 1)] == MASKED).all()
    assert (codes[np.tril_indices(6, -1)] == ZERO).all()
    assert (codes.diagonal() > LOW).all()


def test_a_block_is_masked_only_if_all_of_it_is() -> None:
    codes = draw(Call(torch.full((1, 200, 200), 1 / 200), causal=True)).codes[0]
    assert (codes.diagonal() != MASKED).all()
    assert (codes[np.triu_indices(64, 2)] == MASKED).all()


def test_padded_keys_have_a_look_of_their_own() -> None:
    call = Call(torch.full((1, 4, 4), 0.25), padded=torch.tensor([[False, False, False, True]]))
    codes = draw(call).codes[0]
    assert len(set(codes[:, 3])) == 1
    assert codes[0, 3] != codes[0, 0]


def test_layers_with_different_numbers_of_heads() -> None:
    pictures = draw(Call(torch.eye(5).repeat(2, 1, 1)), Call(torch.eye(5).repeat(4, 1, 1)))
    assert len(pictures.codes) == len(pictures.strongest) == 8
    assert [link is None for link in pictures.strongest] == [False] * 2 + [True] * 2 + [False] * 4
    known = np.isfinite(pictures.scores["itself"])
    assert known.tolist() == [True] * 2 + [False] * 2 + [True] * 4
    assert (pictures.scores["itself"][known] == 1).all()
    assert not pictures.codes[2:4].any()


def test_the_strongest_link_and_what_is_no_number() -> None:
    weights = torch.zeros(2, 3, 4)
    weights[0, 2, 1], weights[0, 0, 0] = 0.7, torch.nan
    assert draw(Call(weights, kind="cross")).strongest == [Link(2, 1, pytest.approx(0.7)), None]


def test_between_two_texts_no_head_looks_at_the_previous_token() -> None:
    pictures = draw(Call(torch.eye(4)[None], kind="cross"), special=3, ids=[1, 2, 3, 4])
    assert {kind: scores[0] for kind, scores in pictures.scores.items() if np.isfinite(scores).any()} == {
        "first": 0.25, "separator": 0.25
    }  # fmt: skip


def test_an_induction_head_is_found() -> None:
    ids = [5, 6, 7, 5, 6, 7]
    weights = torch.zeros(1, 6, 6)
    for query, key in enumerate([0, 0, 0, 1, 2, 3]):
        weights[0, query, key] = 1
    scores = draw(Call(weights), ids=ids).scores
    assert scores["induction"].tolist() == [1.0]
    assert scores["previous"][0] < 0.5


def test_progress_goes_up_to_the_end() -> None:
    told: list[float] = []
    draw(*[Call(torch.eye(3)[None])] * 4, report=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(("heads", "tokens"), [(1, 1), (72, 16), (270, 1024), (5000, 1024)])
def test_pictures_fit_the_way_to_the_browser(heads: int, tokens: int) -> None:
    side = picture_side(heads, tokens)
    assert side == min(tokens, side)
    assert heads * side * side <= CELLS or side == 8


def shown(groups: Sequence[Sequence[int]], kept: Sequence[int]) -> Axis:
    return Axis(tuple("x" for _ in kept), tuple(map(tuple, groups)), tuple(kept))


def test_pictures_are_of_what_is_shown() -> None:
    """Two tokens of one word, and a special token that is hidden: as the matrix beside the pictures has it."""
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.9, 0.1, 0.0]])[None]
    axis = shown([[0], [1, 2]], [0, 1])
    words = draw(Call(weights), axes=(axis, axis))
    assert words.side == 2
    assert words.strongest == [Link(0, 1, pytest.approx(0.9))]
    without = draw(Call(weights), axes=(shown([[0], [1], [2]], [0, 1]),) * 2)
    assert without.strongest == [Link(1, 0, pytest.approx(0.5))]
    assert without.codes.shape == (1, 2, 2)


def test_scores_are_of_all_tokens_whatever_is_shown() -> None:
    call = Call(torch.eye(6)[None])
    assert (
        draw(call).scores["itself"]
        == draw(call, axes=(shown([[0, 1, 2], [3, 4, 5]], [0]),) * 2).scores["itself"]
    )


def test_masks_follow_what_is_shown() -> None:
    call = Call(torch.full((1, 4, 4), 0.25), causal=True, padded=torch.tensor([[False, False, False, True]]))
    codes = draw(call, axes=(shown([[0], [1], [2], [3]], [0, 1]),) * 2).codes[0]
    assert (codes == MASKED).tolist() == [[False, True], [False, False]]
    words = draw(call, axes=(shown([[0, 1], [2, 3]], [0, 1]),) * 2).codes[0]
    assert (words == MASKED).tolist() == [[False, True], [False, False]]


def test_a_layer_of_another_size_is_drawn_as_it_is() -> None:
    axis = shown([[0, 1], [2, 3]], [0, 1])
    pictures = draw(Call(torch.eye(4)[None]), Call(torch.eye(9)[None]), axes=(axis, axis))
    assert pictures.strongest == [Link(0, 0, 1.0), Link(0, 0, 1.0)]
