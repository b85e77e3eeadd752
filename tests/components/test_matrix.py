"""What a browser may report and what a matrix refuses to draw."""

import math
from typing import Any

import numpy as np
import pytest

from components.matrix import (
    Group,
    Selection,
    cell_states,
    matrix,
    matrix_data,
    parse_selection,
    whole_number,
)

WORDS = dict.fromkeys(
    ("label", "tip", "masked", "padding", "nan", "copy", "copied", "copy_hint", "zoom_in", "zoom_out"), "word"
)


@pytest.mark.parametrize(
    ("payload", "cell"),
    [
        ({"row": 0, "col": 2}, Selection(0, 2)),
        ({"row": 1.0, "col": 0.0}, Selection(1, 0)),  # JavaScript has one kind of number
        ({"row": 2, "col": 0}, None),
        ({"row": 0, "col": 3}, None),
        ({"row": -1, "col": 0}, None),
        ({"row": 0.5, "col": 0}, None),
        ({"row": True, "col": 0}, None),
        ({"row": "1", "col": 0}, None),
        ({"row": math.nan, "col": 0}, None),
        ({"row": math.inf, "col": 0}, None),
        ({"row": 1}, None),
        ([0, 1], None),
        ("row", None),
        (None, None),
    ],
)
def test_only_cells_of_the_matrix_are_taken(payload: object, cell: Selection | None) -> None:
    assert parse_selection(payload, rows=2, cols=3) == cell


def test_a_huge_number_is_no_index() -> None:
    assert whole_number(10**400, 5) is None
    assert whole_number(1e308, 5) is None


def test_padding_wins_over_the_mask() -> None:
    mask = np.array([[True, False], [True, True]])
    padded = np.array([[False, False], [True, False]])
    assert cell_states(2, 2, mask, padded).tolist() == [[0, 1], [2, 0]]
    assert cell_states(2, 2, None, None).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"row_labels": ["a"]}, "expected 2 row labels, received 1"),
        ({"col_labels": ["a"] * 4}, "expected 3 column labels, received 4"),
        ({"mask": np.ones((3, 2), bool)}, r"mask of shape \(2, 3\), received \(3, 2\)"),
        ({"padded": np.ones((2, 2), bool)}, r"padded of shape \(2, 3\)"),
        ({"col_groups": [Group("one", 0, 2)]}, "column groups of 3 in sum, received 2"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict[str, Any], says: str) -> None:
    arguments: dict[str, Any] = {"row_labels": None, "col_labels": None, **wrong}
    with pytest.raises(ValueError, match=says):
        matrix(matrix_data(np.zeros((2, 3)), title="M", text=WORDS, **arguments, clickable=False), key="m")


def test_a_missing_word_is_an_error() -> None:
    with pytest.raises(KeyError, match="zoom_out"):
        matrix(
            matrix_data(
                np.zeros((2, 3)),
                None,
                None,
                title="M",
                text={k: v for k, v in WORDS.items() if k != "zoom_out"},
                clickable=False,
            ),
            key="m",
        )
