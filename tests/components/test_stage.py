"""What the stage sends to the browser, and what it accepts from there."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from app.languages import locale
from components.stage import parse_view
from components.stage_data import StageView, cell_states, matrices, stage_data, stage_steps
from models.attention import MultiHeadAttention
from models.build import build
from models.settings import PRESETS, Settings

ANIMAL = build(PRESETS["animal"])
FRUIT = build(PRESETS["fruit"])
HIDDEN = build(dataclasses.replace(PRESETS["animal"], mask="causal", hidden=(0, 3)))
START = StageView("scores", 1, 2)


def test_steps_that_do_nothing_are_left_out() -> None:
    assert stage_steps(FRUIT) == (
        "tokens",
        "input",
        "query",
        "key",
        "value",
        "scores",
        "scaled",
        "weights",
        "head_output",
        "concat",
        "output",
    )
    assert "position" in stage_steps(ANIMAL)
    assert "embedding" in stage_steps(ANIMAL)
    assert "masked" in stage_steps(HIDDEN)


def test_cross_attention_shows_what_the_encoder_hands_over() -> None:
    trace = MultiHeadAttention(6, 2).trace(torch.randn(2, 6), torch.randn(3, 6))
    assert stage_steps(trace)[:4] == ("input", "context", "query", "key")
    meta = stage_data(trace, head=1, text={}, start=START, layer=3)["meta"]
    assert (meta["tokens"], meta["keys"], meta["layer"]) == (["0", "1"], ["0", "1", "2"], 3)
    assert (meta["shapes"]["key"], meta["shapes"]["query"]) == ([3, 3], [2, 3])


@pytest.mark.parametrize("head", range(4))
def test_the_matrices_are_those_of_the_head(head: int) -> None:
    found = matrices(ANIMAL, head)
    torch.testing.assert_close(found["input"] @ found["w_q"], found["query"])
    torch.testing.assert_close(found["query"] @ found["key"].T, found["scores"])
    torch.testing.assert_close(found["weights"] @ found["value"], found["head_output"])
    torch.testing.assert_close(found["concat"][:, head * 4 : (head + 1) * 4], found["head_output"])
    torch.testing.assert_close(found["concat"] @ found["w_o"], found["output"])


def test_what_travels_is_every_number_in_float32() -> None:
    data = stage_data(ANIMAL, head=2, text={}, start=START)
    for name, (rows, columns) in data["meta"]["shapes"].items():
        column = data[name].column("v")
        assert str(column.type) == "float"
        assert len(column) == rows * columns
        assert column.to_pylist() == matrices(ANIMAL, 2)[name].flatten().tolist()


def test_masked_and_padded_cells_are_told_apart() -> None:
    states = cell_states(HIDDEN, 0)
    assert states[5].tolist() == [2, 0, 0, 2, 0, 0, 1, 1, 1, 1]
    data = stage_data(HIDDEN, head=0, text={}, start=START)
    assert data["states"].column("v").to_pylist() == states.flatten().tolist()
    assert data["meta"]["padded"] == [0, 3]
    assert data["meta"]["empty"][0] is True
    assert "states" not in stage_data(ANIMAL, head=0, text={}, start=START)


def test_identity_weights_are_named() -> None:
    assert stage_data(FRUIT, head=0, text={}, start=START)["meta"]["identity"] == ["w_q", "w_k", "w_v", "w_o"]
    assert stage_data(ANIMAL, head=0, text={}, start=START)["meta"]["identity"] == []


def test_causality_is_told_from_padding() -> None:
    padded = build(Settings("one two three", hidden=(1,)))
    assert stage_data(padded, head=0, text={}, start=START)["meta"]["causal"] is False
    assert stage_data(HIDDEN, head=0, text={}, start=START)["meta"]["causal"] is True


@pytest.mark.parametrize(
    "value",
    [
        None, "scores", 3, {}, {"step": "scores"}, {"step": "nothing", "i": 0, "j": 0},
        {"step": "masked", "i": 0, "j": 0}, {"step": "scores", "i": -1, "j": 0}, {"step": "scores", "i": 1.5, "j": 0},
        {"step": "scores", "i": True, "j": 0}, {"step": ["scores"], "i": 0, "j": 0},
    ],
)  # fmt: skip
def test_what_is_no_view_is_ignored(value: object) -> None:
    assert parse_view(value, stage_steps(FRUIT)) is None


def test_a_view_is_read() -> None:
    assert parse_view({"step": "weights", "i": 1, "j": 2}, stage_steps(FRUIT)) == StageView("weights", 1, 2)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_step_has_a_title_and_a_sentence(language: str) -> None:
    text = locale(language)["stage"]
    for step in stage_steps(HIDDEN):
        assert text["titles"][step]
        assert any(key == step or key.startswith(f"{step}_") for key in text["sentences"])
