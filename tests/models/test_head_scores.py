from __future__ import annotations

import pytest
import torch

from models.head_scores import KINDS, head_scores


def one_hot(targets: list[int], keys: int) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(targets), keys).float()[None]


@pytest.mark.parametrize(
    ("targets", "kind"),
    [([0, 0, 1, 2], "previous"), ([1, 2, 3, 3], "next"), ([0, 1, 2, 3], "same"), ([3, 0, 0, 0], "first")],
)
def test_a_head_that_does_one_thing_scores_1_there(targets: list[int], kind: str) -> None:
    scores = head_scores(one_hot(targets, 4))
    assert scores[kind].tolist() == [1.0]
    assert max(KINDS, key=lambda name: float(scores[name][0])) == kind


def test_even_attention_by_hand() -> None:
    scores = head_scores(torch.full((2, 4, 4), 0.25), [True, False, False, True])
    assert {kind: value.tolist() for kind, value in scores.items()} == {
        "previous": [0.25] * 2, "next": [0.25] * 2, "same": [0.25] * 2, "first": [0.25] * 2, "special": [0.5] * 2
    }  # fmt: skip


def test_one_token_and_different_lengths_have_scores() -> None:
    assert head_scores(torch.ones(1, 1, 1))["previous"].tolist() == [0.0]
    assert head_scores(torch.full((1, 2, 5), 0.2))["next"].tolist() == pytest.approx([0.2])
