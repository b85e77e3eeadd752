"""A table of results, as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Cell = str | int | float | None
Row = Mapping[str, Cell]


@dataclass(frozen=True)
class Section:
    """One table. `columns` maps each column's heading to the format of its numbers ("d", ".2f", …; "" for words)."""

    title: str
    columns: Mapping[str, str]
    rows: list[Row] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """The table with its title above and its notes below; numbers to the right, words to the left."""
        cells = [[_printed(row[name], spec) for name, spec in self.columns.items()] for row in self.rows]
        lines = [list(self.columns), *cells]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = [self._line(line, widths) for line in lines]
        rule = "-" * max(len(line) for line in body)
        return "\n".join([self.title, rule, body[0], rule, *body[1:], rule, *self.notes])

    def _line(self, cells: list[str], widths: list[int]) -> str:
        aligned = [
            cell.rjust(width) if spec else cell.ljust(width)
            for cell, width, spec in zip(cells, widths, self.columns.values(), strict=True)
        ]
        return "  ".join(aligned).rstrip()

    def as_dict(self) -> dict[str, object]:
        return {"title": self.title, "rows": [dict(row) for row in self.rows], "notes": list(self.notes)}


def _printed(cell: Cell, spec: str) -> str:
    return "–" if cell is None else format(cell, spec)
