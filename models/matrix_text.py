"""Matrices as people paste and copy them: CSV, spreadsheet cells, Python lists, what NumPy and PyTorch print.

Reading never evaluates anything: text is cut into numbers and row breaks.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from typing import Literal

import regex
from torch import Tensor

from models.errors import InputError
from models.tokenizer import visible_label

Style = Literal["csv", "python", "numpy"]

LARGEST = 1e6  # above this the exponentials and products of a page stop being readable, then finite
LONGEST_TEXT = 4_000_000  # 512 × 512 numbers with all their digits

_COMMENT = regex.compile(r"(?:#|//).*")
_MINUS = str.maketrans({"−": "-", "‐": "-", "‒": "-", "–": "-"})
_NUMBER = regex.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_NOT_FINITE = regex.compile(r"[+-]?(?:np\.|torch\.|math\.)?(?:nan|inf|infinity)", regex.IGNORECASE)
_DECIMAL_COMMA = regex.compile(r"[+-]?\d++,\d++(?:[eE][+-]?\d++)?")
_BEFORE_BRACKETS = regex.compile(r"(?:[A-Za-z_][\w.]*+[\s:=(]*+)*+")  # W = np.array(
_AFTER_BRACKETS = regex.compile(r"(?:,\s*\w+\s*=[^,\[\]]*+)*+[),;\s]*")  # , dtype=float32)
_BRACKETED = regex.compile(r"[\[\]();]|[^\[\]();,\s]+")


def parse_matrix(text: str, shape: tuple[int, int]) -> list[list[float]]:
    """Read a matrix of `shape` (rows, columns).

    Understood are rows on lines of their own, separated by commas, tabs, semicolons or spaces; nested
    Python lists; the printed form of NumPy and PyTorch, with or without `np.array(…)`, `tensor(…, dtype=…)`
    or a name around it. Comments (`#`, `//`), blank lines, trailing commas, the Unicode minus and
    full-width digits do no harm.

        >>> parse_matrix("0.1, 0.2\\n0.3, −4e-1", (2, 2))
        [[0.1, 0.2], [0.3, -0.4]]

    Raises InputError: `matrix_empty`, `matrix_not_number`, `matrix_not_finite`, `matrix_too_large`,
    `matrix_ragged`, `matrix_shape`, `matrix_text_too_long`; its values say what, and at which row and column.
    """
    if len(text) > LONGEST_TEXT:
        message = f"The text has {len(text)} characters; at most {LONGEST_TEXT} can be read."
        raise InputError("matrix_text_too_long", message, count=len(text), limit=LONGEST_TEXT)
    plain = unicodedata.normalize("NFKC", text).translate(_MINUS)
    plain = "\n".join(_COMMENT.sub("", line) for line in plain.splitlines()).strip()
    cells = _bracketed_rows(plain) if "[" in plain or "(" in plain else _line_rows(plain)
    rows = [[_number(cell, i, j) for j, cell in enumerate(row)] for i, row in enumerate(cells)]
    _check_shape(rows, shape)
    return rows


def format_matrix(matrix: Tensor, style: Style = "csv") -> str:
    """`matrix` (2-D) as text, each number as short as it can be and still be read back exactly.

    −∞ and NaN, which `parse_matrix` refuses, are written the way each style's language reads them.
    """
    names = {
        "csv": {"inf": "inf", "-inf": "-inf", "nan": "nan"},
        "python": {"inf": 'float("inf")', "-inf": 'float("-inf")', "nan": 'float("nan")'},
        "numpy": {"inf": "np.inf", "-inf": "-np.inf", "nan": "np.nan"},
    }[style]
    rows = [", ".join(names.get(cell, cell) for cell in row) for row in shortest_numbers(matrix)]
    if style == "csv":
        return "\n".join(row.replace(" ", "") for row in rows)
    start = "[" if style == "python" else "np.array(["
    inside = (",\n" + " " * len(start)).join(f"[{row}]" for row in rows)
    return f"{start}{inside}]" if style == "python" else f"{start}{inside}], dtype=np.{_dtype(matrix)})"


def shortest_numbers(matrix: Tensor) -> list[list[str]]:
    """The cells of a matrix as the shortest text that gives the same number again in the matrix's own precision."""
    if matrix.ndim != 2:
        raise ValueError(f"a matrix with 2 dimensions was expected, received {tuple(matrix.shape)}")
    array = matrix.detach().cpu().numpy()
    return [[str(cell) for cell in row] for row in array]


def check_number(value: float, text: str, row: int, column: int) -> float:
    """`value`, if a page can work with it. Raises InputError `matrix_not_finite` or `matrix_too_large`."""
    place = {"text": text, "row": row, "column": column}
    where = f"“{text}” in row {row}, column {column}"
    if math.isnan(value) or math.isinf(value):
        raise InputError("matrix_not_finite", f"{where} is not a finite number. Put a number there.", **place)
    if abs(value) > LARGEST:
        message = f"{where} is too large: numbers from −{LARGEST:,.0f} to {LARGEST:,.0f} can be used."
        raise InputError("matrix_too_large", message, limit=f"{LARGEST:,.0f}", **place)
    return value


def _bracketed_rows(text: str) -> Iterator[list[str]]:
    """Every innermost bracket is a row. Line breaks mean nothing: NumPy breaks long rows."""
    row: list[str] = []
    for match in _BRACKETED.finditer(_inside_call(text)):
        piece = match.group()
        if piece not in "[]();":
            row.append(piece)
        elif row:
            yield row
            row = []
    if row:
        yield row


def _inside_call(text: str) -> str:
    """The text without the `np.array(` before and the `, dtype=float32)` after; anything else stays, to be refused."""
    opening, closing = "[]" if "[" in text else "()"
    first, after = text.index(opening), text.rfind(closing) + 1
    start = first if _BEFORE_BRACKETS.fullmatch(text, 0, first) else 0
    end = after if after > first and _AFTER_BRACKETS.fullmatch(text, after) else len(text)
    return text[start:end]


def _line_rows(text: str) -> Iterator[list[str]]:
    lines = text.split("\n")
    separator = next((mark for mark in ";\t," if mark in text), None)
    if separator == ";" and any(len(part.split()) > 1 for line in lines for part in line.split(";")):
        lines, separator = regex.split(r"[;\n]", text), "," if "," in text else None  # 1 2; 3 4
    for line in lines:
        cells = [cell.strip() for cell in line.split(separator)] if line.strip() else []
        if len(cells) > 1 and not cells[-1]:
            cells.pop()
        if cells:
            yield [_decimal_point(cell) if separator in (";", "\t") else cell for cell in cells]


def _decimal_point(cell: str) -> str:
    """Spreadsheets in much of Europe write 0,5; with another separator around it there is no doubt."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell.rstrip(",")


def _number(cell: str, row: int, column: int) -> float:
    cell = cell.strip("\"'")
    if _NUMBER.fullmatch(cell) and abs(float(cell)) <= LARGEST:
        return float(cell)
    shown = visible_label(cell) if cell else ""
    if _NUMBER.fullmatch(cell):
        return check_number(max(-2 * LARGEST, min(float(cell), 2 * LARGEST)), shown, row, column)  # 1e999
    if _NOT_FINITE.fullmatch(cell):
        return check_number(math.nan, shown, row, column)
    message = f"“{shown}” in row {row}, column {column} is not a number. Write numbers such as 0.25 or -1e-3."
    raise InputError("matrix_not_number", message, text=shown, row=row, column=column)


def _check_shape(rows: list[list[float]], shape: tuple[int, int]) -> None:
    expected = f"{shape[0]} × {shape[1]}"
    if not rows:
        message = f"There are no numbers in the text. Paste a matrix of {expected} numbers."
        raise InputError("matrix_empty", message, expected=expected)
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            message = f"Row 0 has {len(rows[0])} numbers, row {i} has {len(row)}. Expected: {expected}."
            place = {"first": len(rows[0]), "row": i, "count": len(row)}
            raise InputError("matrix_ragged", message, expected=expected, **place)
    received = f"{len(rows)} × {len(rows[0])}"
    if received != expected:
        message = f"The matrix is {received}. Expected: {expected}."
        raise InputError("matrix_shape", message, expected=expected, received=received)


def _dtype(matrix: Tensor) -> str:
    return str(matrix.dtype).removeprefix("torch.")
