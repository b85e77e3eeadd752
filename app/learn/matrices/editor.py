"""A grid of numbers to type into, tied to the edits of one matrix.

Streamlit's editor remembers what was typed on top of the numbers it was given first. So it gets the same numbers as
long as only it changes the matrix, and starts anew (another key) when anything else does: another matrix, a reset,
other sizes. Typing then never loses the place.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from torch import Tensor

from app import state
from app.session import digest
from models.errors import InputError
from models.matrix_text import shortest_numbers

ROW_HEIGHT, HEADER_HEIGHT, TALLEST = 30, 34, 520


def show(name: str, matrix: Tensor, rows: Sequence[str], columns: Sequence[str], *, disabled: bool) -> None:
    """Draw the editor of `matrix`; what is typed becomes edits of `name`."""
    memory = state.scratch("matrices")
    signature = _signature(name)
    if memory.get("signature") != signature:
        numbers = [[float(cell) for cell in row] for row in shortest_numbers(matrix)]
        names = [str(j) for j in range(len(columns))]
        memory |= {
            "signature": signature,
            "version": memory.get("version", 0) + 1,
            "frame": pd.DataFrame(numbers, index=pd.Index(rows), columns=names),
            "edits": state.settings().edits,
        }
    key = f"am.cells.{memory['version']}"
    st.data_editor(
        memory["frame"],
        key=key,
        on_change=_take,
        args=(name, key, (len(rows), len(columns))),
        column_config={
            str(j): st.column_config.NumberColumn(label, width=60) for j, label in enumerate(columns)
        },
        height=min(HEADER_HEIGHT + ROW_HEIGHT * len(rows) + 2, TALLEST),
        row_height=ROW_HEIGHT,
        disabled=disabled,
    )


def _take(name: str, key: str, shape: tuple[int, int]) -> None:
    """Turn what was typed so far into edits; a cell that was emptied or refused shows its old number again."""
    memory = state.scratch("matrices")
    edits, refused = memory["edits"], False
    for row, column, value in state.typed_cells(key):
        try:
            if value is None:
                refused = True
            else:
                edits = edits.with_cell(name, row, column, value, shape=shape)
        except InputError as error:
            memory["cell"], refused = error, True
    state.edit(edits)
    memory["signature"] = None if refused else _signature(name)


def _signature(name: str) -> tuple[str, str, str]:
    return name, state.language(), digest(state.settings())
