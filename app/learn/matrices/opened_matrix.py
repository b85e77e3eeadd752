"""The matrix that is open for editing: as it is and as the preset has it, with the names of its rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from app import state
from app.i18n import t
from app.session import trace_of
from models.settings import PRESETS, Settings
from models.trace import Trace


@dataclass(frozen=True)
class Opened:
    """The matrix that is open: as it is, as the preset has it (None if that has another shape), and its labels."""

    name: str
    value: Tensor
    original: Tensor | None
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def symbol(self) -> str:
        return t(f"matrices.name.{self.name}")

    @property
    def shape(self) -> tuple[int, int]:
        return (self.value.shape[0], self.value.shape[1])


def original_trace(settings: Settings) -> Trace | None:
    """The trace with the preset's own matrices, or None if there is nothing else to compare with."""
    original = PRESETS[state.current().preset].edits
    return None if settings.edits == original else trace_of(replace(settings, edits=original)).trace


def open_matrix(trace: Trace, before: Trace | None, name: str) -> Opened:
    value = trace.tensor(name)
    original = value if before is None else before.tensor(name)
    numbers = tuple(str(i) for i in range(max(value.shape)))
    rows, columns = numbers[: value.shape[0]], numbers[: value.shape[1]]
    if name == "embedding":
        rows = trace.labels("query")
    elif name == "w_o":
        rows = head_labels(trace.heads, trace.d_v)
    else:
        columns = head_labels(trace.heads, trace.d_v if name == "w_v" else trace.d_k)
    return Opened(name, value, original if original.shape == value.shape else None, rows, columns)


def head_labels(heads: int, size: int) -> tuple[str, ...]:
    """Names of the columns that the heads share out: "h1·0" is the first of head 1."""
    if heads == 1:
        return tuple(str(i) for i in range(size))
    return tuple(t("matrices.column", head=h, index=i) for h in range(heads) for i in range(size))
