"""MiniLM's own position table, against the model that transformers runs."""

from __future__ import annotations

import pytest
import torch

from app.labs.position import learned as position_learned
from models.pretrained import load_model

pytestmark = pytest.mark.skipif(not position_learned.available(), reason="MiniLM has not been fetched")
TEXT = "The animal didn't cross the street"


def test_scores_are_those_of_the_model() -> None:
    call = load_model("minilm").trace(TEXT).layer(0, stream="encoder")
    found = position_learned.learned_scores(TEXT)
    assert list(found.labels) == list(call.query_labels) or len(found.labels) == len(call.query_labels)
    for head in range(position_learned.HEADS):
        expected = call.trace(head)["scaled"].value[0]
        torch.testing.assert_close(found.after[head].float(), expected, rtol=1e-4, atol=1e-4)


def test_the_table_and_what_lies_behind_its_end() -> None:
    table = position_learned.position_table()
    assert table.shape == (512, 384)
    with pytest.raises(ValueError, match="no more"):
        position_learned.learned_scores(TEXT, start=510)


def test_without_the_table_order_does_not_matter() -> None:
    one, other = (position_learned.learned_scores(text) for text in ("cat dog", "dog cat"))
    assert one.labels == ("[CLS]", "cat", "dog", "[SEP]")
    assert float(other.before[3, 1, 2]) == pytest.approx(float(one.before[3, 2, 1]), rel=1e-5)  # other rows
    assert abs(float(other.after[3, 1, 2] - one.after[3, 2, 1])) > 1e-3
