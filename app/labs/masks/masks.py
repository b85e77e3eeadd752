"""The state of the laboratory on masks: what is chosen, which cells are blocked, where to start from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app import state
from models.masked import Cell, MaskChoice

MOST_CELLS = 600  # as many fit into an address


@dataclass(frozen=True)
class Start:
    """A mask to start from: what it sets in the settings and in the knobs."""

    mask: str = "none"
    hidden: tuple[int, ...] = ()
    window: int = 0
    prefix: int = 0

    def choose(self) -> None:
        state.update(mask=self.mask, hidden=self.hidden)
        state.turn(m_window=self.window, m_prefix=self.prefix, m_cells="")


def starts(tokens: int) -> dict[str, Start]:
    """The points to start from for a sentence of this length; each shows one idea."""
    return {
        "none": Start(),
        "causal": Start(mask="causal"),
        "padding": Start(hidden=(tokens - 1,) if tokens > 1 else ()),
        "window": Start(window=2),
        "prefix": Start(prefix=min(tokens, max(2, tokens // 2))),
        "both": Start(mask="causal", hidden=(0,)),
    }


def current_start() -> Start:
    settings = state.settings()
    return Start(settings.mask, settings.hidden, state.lab("m_window"), state.lab("m_prefix"))


def choice() -> MaskChoice:
    """The masks that are chosen now: causal and padding from the sidebar, the others from the page's own knobs."""
    blocked, closed = read_cells(state.lab("m_cells"))
    now = current_start()
    return MaskChoice(now.mask == "causal", now.window, now.prefix, now.hidden, blocked, closed)


def read_cells(text: str) -> tuple[frozenset[Cell], frozenset[int]]:
    """Cells and whole rows, written as "row.column" and "row.*" with commas between."""
    pairs = [part.split(".") for part in text.split(",") if part]
    cells = frozenset((int(row), int(column)) for row, column in pairs if column != "*")
    return cells, frozenset(int(row) for row, column in pairs if column == "*")


def write_cells(cells: Iterable[Cell], rows: Iterable[int]) -> str:
    """As `read_cells` reads it."""
    return ",".join(
        [f"{row}.*" for row in sorted(rows)] + [f"{row}.{column}" for row, column in sorted(cells)]
    )


def toggle(row: int, column: int) -> None:
    """Block a cell, or open it again; a click into a closed row opens the row."""
    cells, closed = read_cells(state.lab("m_cells"))
    state.select(i=row, j=column)
    if row in closed:
        return state.turn(m_cells=write_cells(cells, closed - {row}))
    if (row, column) not in cells and len(cells) >= MOST_CELLS:
        return None
    return state.turn(m_cells=write_cells(cells ^ {(row, column)}, closed))


def close_row(row: int) -> None:
    """Block every key of a query."""
    cells, closed = read_cells(state.lab("m_cells"))
    state.turn(m_cells=write_cells(cells, closed | {row}))


def open_all() -> None:
    state.turn(m_cells="")
