"""What the user changed in the matrices of a computation, small enough to travel in an address.

An edit says where a matrix starts from (the seeded numbers, the identity, another seed, or pasted values)
and which cells differ from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from models import edits_text
from models.errors import InputError
from models.matrix_text import LARGEST, check_number

Base = Literal["seeded", "identity", "reseed", "values"]
Cell = tuple[int, int, float]

NAMES = ("embedding", "w_q", "w_k", "w_v", "w_o")
LARGEST_SIDE = 8192  # 16 heads of 512 columns
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class MatrixEdit:
    """How one matrix differs from its seeded numbers.

    `base` is where it starts: "seeded" (unchanged), "identity" (ones on the diagonal, also if not square),
    "reseed" (drawn from `seed`) or "values" (`values`, one tuple per row). `cells` then replace single
    numbers: (row, column, value), sorted, counted from 0. Numbers are kept as float32, so equal edits are
    equal objects. Raises InputError for numbers that cannot be used and ValueError for parts that do not
    belong together.
    """

    base: Base = "seeded"
    seed: int | None = None
    values: tuple[tuple[float, ...], ...] | None = None
    cells: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if (self.seed is not None) != (self.base == "reseed") or (self.values is not None) != (
            self.base == "values"
        ):
            raise ValueError(f"a seed goes with reseed and values with values, received {self.base!r}")
        if self.seed is not None and not (isinstance(self.seed, int) and 0 <= self.seed <= LARGEST_SEED):
            raise ValueError(f"a seed from 0 to {LARGEST_SEED} was expected, received {self.seed}")
        if self.values is not None:
            object.__setattr__(self, "values", _checked_values(self.values))
        object.__setattr__(self, "cells", _checked_cells(self.cells))

    def fits(self, rows: int, columns: int) -> bool:
        """Whether this edit can be applied to a matrix of that shape."""
        if self.values is not None and (len(self.values), len(self.values[0])) != (rows, columns):
            return False
        return all(row < rows and column < columns for row, column, _ in self.cells)


def apply(default: Tensor, edit: MatrixEdit, reseed: Callable[[int], Tensor]) -> tuple[Tensor, bool]:
    """The edited matrix, and whether the edit was applied.

    An edit made for another shape is set aside: the default comes back with False, and the edit takes
    effect again when the old shape returns. `reseed(seed)` draws the matrix from another seed.
    """
    rows, columns = default.shape
    if not edit.fits(rows, columns):
        return default, False
    if edit.base == "identity":
        edited = torch.eye(rows, columns, dtype=default.dtype)
    elif edit.seed is not None:
        edited = reseed(edit.seed).to(default.dtype, copy=True)
    elif edit.values is not None:
        edited = torch.tensor(edit.values, dtype=default.dtype)
    else:
        edited = default.clone()
    for row, column, value in edit.cells:
        edited[row, column] = value
    return edited, True


@dataclass(frozen=True, init=False)
class Edits(Mapping[str, MatrixEdit]):
    """The edits of all matrices by name ("embedding", "w_q", "w_k", "w_v", "w_o"); hashable, never changed
    in place.

    w_q, w_k and w_v are edited as the whole D × (H·K) matrix.
    """

    entries: tuple[tuple[str, MatrixEdit], ...]

    def __init__(self, edits: Mapping[str, MatrixEdit] | None = None) -> None:
        edits = edits or {}
        if unknown := [name for name in edits if name not in NAMES]:
            raise ValueError(f"names among {', '.join(NAMES)} were expected, received {unknown}")
        kept = tuple((name, edits[name]) for name in NAMES if name in edits and edits[name] != MatrixEdit())
        object.__setattr__(self, "entries", kept)

    def __getitem__(self, name: str) -> MatrixEdit:
        return dict(self.entries)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def with_cell(
        self, name: str, row: int, column: int, value: float, *, shape: tuple[int, int] | None = None
    ) -> Edits:
        """One cell replaced, on top of what was edited before.

        An earlier edit that does not fit `shape`, the matrix as it is now, would keep the new cell from
        showing: it is dropped.
        """
        edit = self.get(name, MatrixEdit())
        if shape is not None and not edit.fits(*shape):
            edit = MatrixEdit()
        cells = (*(cell for cell in edit.cells if cell[:2] != (row, column)), (row, column, value))
        return self._with(name, MatrixEdit(edit.base, edit.seed, edit.values, cells))

    def with_values(self, name: str, matrix: Tensor | Sequence[Sequence[float]]) -> Edits:
        """The whole matrix replaced."""
        rows = matrix.tolist() if isinstance(matrix, Tensor) else matrix
        return self._with(name, MatrixEdit("values", values=tuple(tuple(row) for row in rows)))

    def with_base(
        self, name: str, base: Literal["seeded", "identity", "reseed"], seed: int | None = None
    ) -> Edits:
        """Started over from `base`, forgetting single cells. `seed` goes with "reseed"."""
        return self._with(name, MatrixEdit(base, seed))

    def without(self, name: str) -> Edits:
        return Edits({key: edit for key, edit in self.entries if key != name})

    def encode(self) -> str:
        """These edits as URL-safe text; empty if there are none. More than 4 MB of JSON cannot be read back."""
        data = {name: _to_data(edit) for name, edit in self.entries}
        return edits_text.encode(data) if data else ""

    @staticmethod
    def decode(text: str) -> Edits:
        """The edits that `encode` wrote. Raises InputError `edits_unreadable` for any other text."""
        try:
            return Edits({name: _from_data(data) for name, data in edits_text.decode(text).items()})
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as problem:
            raise InputError(
                "edits_unreadable",
                "The edited matrices in this address cannot be read, so the original ones are shown. "
                "Copy the whole address again from the page that made it.",
            ) from problem

    def _with(self, name: str, edit: MatrixEdit) -> Edits:
        return Edits({**self, name: edit})


def _checked_values(values: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    if not values or not values[0] or max(len(values), len(values[0])) > LARGEST_SIDE:
        raise ValueError(f"1 to {LARGEST_SIDE} rows and columns were expected")
    if any(len(row) != len(values[0]) for row in values):
        raise ValueError("rows of the same length were expected")
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if not abs(value) <= LARGEST:  # NaN is not either
                check_number(value, f"{value:g}", i, j)
    return tuple(tuple(row) for row in _shortest(values).tolist())


def _checked_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    places = {(row, column) for row, column, _ in cells}
    if len(places) != len(cells):
        raise ValueError("each cell once was expected")
    for place in places:
        if not all(isinstance(index, int) and 0 <= index < LARGEST_SIDE for index in place):
            raise ValueError(f"a row and column from 0 to {LARGEST_SIDE - 1} were expected, received {place}")
    for row, column, value in cells:
        check_number(value, f"{value:g}", row, column)
    return tuple(sorted((row, column, float(_shortest(value))) for row, column, value in cells))


def _shortest(values: float | Sequence[Sequence[float]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The nearest float32 in its shortest spelling (0.1, not 0.10000000149): addresses stay short."""
    return np.asarray(values, dtype=np.float32).astype(np.str_).astype(np.float64) + 0.0  # + 0.0: no −0.0


def _to_data(edit: MatrixEdit) -> edits_text.Data:
    starts: dict[Base, edits_text.Data] = {
        "seeded": {},
        "identity": {"identity": 1},
        "reseed": {"seed": edit.seed},
        "values": {"values": edit.values},
    }
    return {**starts[edit.base], "cells": edit.cells} if edit.cells else starts[edit.base]


def _from_data(data: edits_text.Data) -> MatrixEdit:
    starts: dict[str, Base] = {"identity": "identity", "seed": "reseed", "values": "values"}
    named = [key for key in data if key != "cells"]
    if len(named) > 1:
        raise ValueError(f"one start was expected, found {named}")
    base = starts[named[0]] if named else "seeded"
    values = tuple(tuple(row) for row in data["values"]) if base == "values" else None
    cells = tuple((row, column, value) for row, column, value in data.get("cells", ()))
    return MatrixEdit(base, data.get("seed"), values, cells)
