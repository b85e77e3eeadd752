"""One head's attention weights as a matrix, with masked and padded cells looking like what they are."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from app.i18n import words
from components.matrix import matrix, matrix_data
from models.trace import Trace


class Looks(TypedDict):
    """Cells that are no plain numbers: `mask` is True where a cell may be seen, `padded` where it is padding."""

    mask: npt.NDArray[np.bool_] | None
    padded: npt.NDArray[np.bool_] | None


def looks(trace: Trace) -> Looks:
    """The looks of the N × M cells of scores and weights."""
    shape = tuple(trace["weights"].value.shape[-2:])
    return {
        "mask": None if trace.mask is None else np.broadcast_to(trace.mask.numpy(), shape),
        "padded": None if trace.padded is None else np.broadcast_to(trace.padded.numpy(), shape),
    }


def weights(trace: Trace, head: int, *, title: str, key: str, height: int, channel: str = "") -> None:
    """Draw the weights of `head`, counted from 0."""
    matrix(
        matrix_data(
            trace["weights"].value[head].numpy(),
            trace.labels("query"),
            trace.labels("key"),
            title=title,
            text=words("matrix", label=title),
            scale="weights",
            **looks(trace),
            hue="w",
            row_hue="q",
            col_hue="k",
            height=height,
            channel=channel,
            clickable=False,
        ),
        key=key,
    )
