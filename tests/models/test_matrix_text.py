from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputError
from models.matrix_text import LARGEST, LONGEST_TEXT, Style, format_matrix, parse_matrix

ONE_TO_FOUR = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4",
        "1, 2,\r\n\r\n3, 4,\r\n",
        "1\t2\n3\t4",
        "1;2\n3;4",
        "  1   2\n 3 4 ",
        "1 2; 3 4",
        "[1 2; 3 4];",
        "[[1, 2], [3, 4]]",
        "[[1, 2],\n [3, 4],\n]",
        "((1, 2), (3, 4))",
        "[1, 2]\n[3, 4]",
        "[[[1, 2], [3, 4]]]",
        "[[1. 2.]\n [3. 4.]]",
        "np.array([[1, 2], [3, 4]], dtype=np.float32)",
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)",
        "W = np.array([\n  [1, 2],  # the first\n  [3, 4],\n])\n",
        "torch.tensor([[1., 2.], [3., 4.]], dtype=torch.float32, device='cpu')",
        "tensor([[1., 2.],\n        [3., 4.]], grad_fn=<MmBackward0>)",
        "Parameter containing:\ntensor([[1., 2.],\n        [3., 4.]], requires_grad=True)",
        '"1","2"\n"3","4"',
        "# a comment\n1,2 // another\n\n3,4",
        "\uff11\uff0c\uff12\n\uff13\uff0c\uff14",  # full-width digits and commas
        "1e0 .2e1\n+3.0 4.",
    ],
)
def test_what_people_paste(text: str) -> None:
    assert parse_matrix(text, (2, 2)) == ONE_TO_FOUR


def test_minus_signs_and_exponents() -> None:
    assert parse_matrix("−0.5 -1e-3\n–2 1E2", (2, 2)) == [[-0.5, -0.001], [-2.0, 100.0]]


@pytest.mark.parametrize("text", ["0,5;1\n2;−1,5", "0,5\t1\n2\t-1,5"])
def test_decimal_commas_where_something_else_separates(text: str) -> None:
    assert parse_matrix(text, (2, 2)) == [[0.5, 1.0], [2.0, -1.5]]


@pytest.mark.parametrize("text", ["[0.1, 0.2, 0.3]", "0.1 0.2 0.3", "[0.1\n 0.2 0.3]"])
def test_a_single_row(text: str) -> None:
    assert parse_matrix(text, (1, 3)) == [[0.1, 0.2, 0.3]]


def test_a_single_column() -> None:
    assert parse_matrix("0.1\n0.2", (2, 1)) == [[0.1], [0.2]]


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ("", "matrix_empty", {"expected": "2 × 2"}),
        ("  \n # nothing", "matrix_empty", {}),
        ("[[]]", "matrix_empty", {}),
        ("1,a\n3,4", "matrix_not_number", {"text": "a", "row": 0, "column": 1}),
        ("1,,2\n3,4,5", "matrix_not_number", {"text": "", "row": 0, "column": 1}),
        ("[[1, 2], [3, ...]]", "matrix_not_number", {"text": "...", "row": 1, "column": 1}),
        ("[[1, 2], [3, 4]] and", "matrix_not_number", {"text": "and", "row": 2, "column": 0}),
        ("[[1, 2], [3, 1/2]]", "matrix_not_number", {"text": "1/2"}),
        ("[[1, 2], [3, 4j]]", "matrix_not_number", {"text": "4j"}),
        ("__import__('os').system('true')", "matrix_not_number", {"text": "os"}),
        ("<script>", "matrix_not_number", {"text": "<script>"}),
        ("1 \ud83d", "matrix_not_number", {"text": "⟨D83D⟩"}),
        ("1 2\n3", "matrix_ragged", {"first": 2, "row": 1, "count": 1, "expected": "2 × 2"}),
        ("1 2 3\n4 5 6", "matrix_shape", {"expected": "2 × 2", "received": "2 × 3"}),
        ("1 2\nnan 3", "matrix_not_finite", {"text": "nan", "row": 1, "column": 0}),
        ("1 -Infinity\n2 3", "matrix_not_finite", {"text": "-Infinity", "row": 0, "column": 1}),
        ("[[np.inf, 1], [2, 3]]", "matrix_not_finite", {"text": "np.inf"}),
        ("1e30 1\n2 3", "matrix_too_large", {"text": "1e30", "limit": "1,000,000"}),
        ("1 2\n3 -1e999", "matrix_too_large", {"text": "-1e999", "row": 1, "column": 1}),
        ("1 2\n3 1000001", "matrix_too_large", {}),
        ("1" * (LONGEST_TEXT + 1), "matrix_text_too_long", {"limit": LONGEST_TEXT}),
    ],
)
def test_mistakes_are_named(text: str, key: str, values: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        parse_matrix(text, (2, 2))
    assert caught.value.key == key
    assert values.items() <= caught.value.values.items()
    str(caught.value).encode()


def test_a_shown_piece_is_short() -> None:
    with pytest.raises(InputError) as caught:
        parse_matrix("a" * 1000, (1, 1))
    assert len(str(caught.value.values["text"])) < 30


@given(st.text(st.characters(exclude_categories=()), max_size=40) | st.text("[]();,.=12e- \nax", max_size=40))
def test_any_text_is_a_matrix_or_a_mistake(text: str) -> None:
    try:
        rows = parse_matrix(text, (1, 2))
    except InputError:
        return
    assert [len(row) for row in rows] == [2]
    assert all(abs(value) <= LARGEST for row in rows for value in row)


@pytest.mark.parametrize("unit", ["1 ", "[", "[1]", "(", "x=(", "[1],x=1", "1,a=b", "1;", "\ud83d,", "1e"])
def test_a_megabyte_is_answered(unit: str) -> None:
    """In about a second each; a pattern that backtracks would take hours here."""
    with pytest.raises(InputError):
        parse_matrix(unit * (1_000_000 // len(unit)), (2, 2))


MATRICES = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.floats(-LARGEST, LARGEST, width=32), min_size=columns, max_size=columns),
        min_size=1,
        max_size=5,
    )
)


@given(MATRICES, st.sampled_from(["csv", "python", "numpy"]), st.sampled_from([torch.float32, torch.float64]))
def test_what_is_written_is_read_back(rows: list[list[float]], style: Style, dtype: torch.dtype) -> None:
    matrix = torch.tensor(rows, dtype=dtype)
    read = parse_matrix(format_matrix(matrix, style), (len(rows), len(rows[0])))
    assert torch.equal(torch.tensor(read, dtype=dtype), matrix)


@given(MATRICES)
def test_what_numpy_and_torch_print_is_read(rows: list[list[float]]) -> None:
    array = np.array(rows, dtype=np.float32)
    with np.printoptions(threshold=10**6, floatmode="unique"):
        for text in (str(array), repr(array)):
            assert np.array_equal(np.array(parse_matrix(text, array.shape), dtype=np.float32), array)
    printed = parse_matrix(repr(torch.tensor(rows)), array.shape)
    assert np.allclose(printed, array, atol=1e-3, rtol=1e-3)


def test_styles() -> None:
    matrix = torch.tensor([[0.1, -2.0], [1e-5, -torch.inf]])
    assert format_matrix(matrix) == "0.1,-2.0\n1e-05,-inf"
    assert format_matrix(matrix, "python") == '[[0.1, -2.0],\n [1e-05, float("-inf")]]'
    numpy = format_matrix(matrix, "numpy")
    assert np.array_equal(eval(numpy, {"np": np}), matrix.numpy())


def test_only_matrices_are_written() -> None:
    with pytest.raises(ValueError, match="2 dimensions"):
        format_matrix(torch.zeros(3))
