"""The weights of the head that is looked at, as a matrix whose cells can be chosen."""

from __future__ import annotations

from app import state
from app.i18n import t, words
from app.trained.shown import Axis, Floats, shown_mask
from app.trained.stack import Stack
from components.matrix import Selection, matrix, matrix_data


def show_head_matrix(
    weights: Floats, stack: Stack, rows: Axis, cols: Axis, *, key: str, height: int, channel: str, head: int
) -> None:
    """Draw `weights` (rows × cols, as they are shown); a click on a cell looks at it.

    `head` is the number under which the other components on `channel` know this head.
    """

    def look(cell: Selection) -> None:
        state.look(i=rows.token_at(cell.row), j=cols.token_at(cell.col))

    matrix(
        matrix_data(
            weights,
            rows.labels,
            cols.labels,
            title=t("trained.weights"),
            text=words("matrix", label=t("trained.weights_label"), tip="{row} → {col}   {value}"),
            scale="weights",
            mask=shown_mask(stack.call.visible(stack.head), rows, cols),
            hue="w",
            row_hue="q",
            col_hue="k",
            selected=(rows.place_of(stack.i) or 0, cols.place_of(stack.j) or 0),
            height=height,
            channel=channel,
            head=head,
        ),
        key=key,
        on_select=look,
    )
