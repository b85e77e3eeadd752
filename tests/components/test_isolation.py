"""Words that run from right to left keep their place beside numbers."""

from __future__ import annotations

import pytest

from components.phrase import fill, isolated


@pytest.mark.parametrize("word", ["שלום", "مرحبا", "‏שלום", "abc שלום", "٣"])
def test_a_word_from_right_to_left_is_isolated(word: str) -> None:
    assert isolated(word) == f"\u2068{word}\u2069"
    assert fill("{token} gets {share}", {"token": word, "share": "0.50"}) == f"\u2068{word}\u2069 gets 0.50"


@pytest.mark.parametrize("value", ["animal", "小猫", "", "0.5", "é", 3, 0.5, None])
def test_everything_else_stays_as_it_is(value: object) -> None:
    assert isolated(value) is value
