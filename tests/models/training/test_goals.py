"""Where heads should look: patterns that can be checked by hand."""

from __future__ import annotations

import pytest
import torch

from models.training.goals import chinese_digits, english_digits, goal, share
from models.training.tasks import TASKS
from models.training.tasks.base import END, START
from models.training.tasks.letters import THEN
from models.training.tasks.numerals import chinese, english


def pairs(task: str, keys: str, queries: str | None = None) -> set[tuple[int, int]]:
    found = goal(task, list(keys), None if queries is None else list(queries))
    assert found is not None
    return {(int(i), int(j)) for i, j in found.places.nonzero()}


def test_every_task_has_a_goal() -> None:
    assert all(goal(name, list("ab")) is not None for name in TASKS)
    assert goal("knitting", ["a"]) is None


def test_copying_looks_along_the_diagonal() -> None:
    assert pairs("copy", f"ab{END}", f"{START}ab") == {(0, 0), (1, 1), (2, 2)}


def test_reversing_looks_along_the_other_diagonal() -> None:
    assert pairs("reverse", "abc") == {(0, 2), (1, 1), (2, 0)}


def test_sorting_looks_at_the_next_letter_and_at_all_its_copies() -> None:
    assert pairs("sort", f"bab{THEN}ab") == {(3, 1), (4, 0), (4, 2)}


def test_repeating_looks_at_what_followed_the_same_symbol() -> None:
    assert pairs("repeat", "abcab") == {(3, 1), (4, 2)}


def test_brackets_look_at_each_other() -> None:
    assert pairs("brackets", "([])") == {(0, 3), (3, 0), (1, 2), (2, 1)}


def test_words_look_at_their_digits() -> None:
    # three thousand twelve
    assert pairs("words-en", f"3012{END}", f"{START}abc") == {(0, 0), (1, 0), (2, 2), (2, 3)}
    # 三 千 零 一 十 二
    assert chinese_digits("3012") == [
        ("三", (0,)), ("千", (0,)), ("零", (1,)), ("一", (2,)), ("十", (2,)), ("二", (3,))
    ]  # fmt: skip
    assert chinese_digits("8000") == [("八", (0,)), ("千", (0,))]
    assert chinese_digits("1004")[2] == ("零", (1, 2))
    assert english_digits("40") == [("forty", (0,))]


@pytest.mark.parametrize(("spoken", "say"), [(english_digits, english), (chinese_digits, chinese)])
def test_the_words_are_those_of_the_task(spoken, say) -> None:
    for number in range(10_000):
        found = spoken(str(number))
        assert [word for word, _ in found] == say(number)
        assert all(0 <= place < len(str(number)) for _, at in found for place in at)


def test_share_is_the_mean_of_the_counted_rows() -> None:
    weights = torch.tensor([[[0.9, 0.1], [0.25, 0.75]], [[0.5, 0.5], [1.0, 0.0]]])
    places = torch.tensor([[False, False], [False, True]])
    assert share(weights, places).tolist() == [0.75, 0.0]
    assert share(weights, torch.zeros(2, 2, dtype=torch.bool)).tolist() == [0.0, 0.0]
