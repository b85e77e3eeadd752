"""The script that trains what is shipped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.training import checkpoint
from scripts import train_checkpoints
from scripts.train_checkpoints import RECIPES, Shipped, trained


def test_there_is_a_recipe_for_everything_that_is_shipped() -> None:
    assert tuple(RECIPES) == checkpoint.SHIPPED


def test_the_same_recipe_gives_the_same_file(capsys: pytest.CaptureFixture[str]) -> None:
    recipe = Shipped(seed=5, steps=3, accuracy=0.0, share=0.0)
    content = trained("words-en", recipe)
    assert content == trained("words-en", recipe)
    found = checkpoint.load(content)
    assert (found.task.name, found.seed, found.step) == ("words-en", 5, 3)
    assert "accuracy" in capsys.readouterr().out


def test_what_is_not_good_enough_is_not_written() -> None:
    with pytest.raises(SystemExit, match="not good enough"):
        trained("words-zh", replace(RECIPES["words-zh"], steps=2))


def test_unknown_names() -> None:
    with pytest.raises(SystemExit):
        train_checkpoints.main(["knitting"])
