"""The table of names: every step has one row, and something stands for a step that a trace does not have."""

from __future__ import annotations

import pytest

from models.build import build
from models.settings import PRESETS
from models.vocabulary import ORDER, PARAMETERS, STEPS, named, nearest, place

FRUIT = build(PRESETS["fruit"])


def test_every_name_has_one_row() -> None:
    names = [row.name for row in (*STEPS, *PARAMETERS)]
    assert len(set(names)) == len(names)
    assert [named(name).name for name in names] == names
    assert [place(name) for name in ORDER] == list(range(len(ORDER)))
    with pytest.raises(KeyError):
        named("frobnicated")


def test_the_engine_computes_in_this_order() -> None:
    places = [place(name) for name in FRUIT.names]
    assert places == sorted(places)


@pytest.mark.parametrize("step", ORDER)
def test_what_stands_for_a_step_is_there(step: str) -> None:
    assert nearest(step, ("input", "query", "scores", "weights")) in ("input", "query", "scores", "weights")
    assert nearest(step, ("scores",)) == "scores"
    assert nearest(step, ORDER) == step


def test_what_stands_for_a_step() -> None:
    among = ("input", "query", "scores", "scaled", "weights", "contribution")
    found = {
        step: nearest(step, among) for step in ("concat", "output", "masked", "biased", "position", "context")
    }
    assert found == {
        "concat": "contribution",
        "output": "contribution",
        "masked": "scaled",
        "biased": "scaled",
        "position": "input",
        "context": "input",
    }
    assert nearest("frobnicated", among) == "scores"


def test_letters_and_symbols_are_the_paper_s() -> None:
    assert [named(name).symbol for name in ("input", "query", "key", "value", "mask")] == list("XQKVM")
    assert (named("w_o").symbol, named("w_o").sub, named("w_o").variable) == ("W", "O", "W_O")
    assert named("scores").variable == "scores"
