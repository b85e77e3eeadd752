"""The grid of heads coloured by one measure, or by what each is best at."""

from __future__ import annotations

import math

from app.i18n import t
from app.trained.roles.roles import Roles
from app.trained.roles.words import ROLE, UNITS, compared, name_of, not_finite, short, written
from app.trained.stack import Stack, on_place
from components.value_grid import Cell, Group, value_grid, value_grid_data
from models.head_roles import ROLES, nearest_share, role_of

HEIGHT = 470  # pixels: grid, legend and what is said about the measure fit a laptop's screen
# Okabe and Ito's colours, which colour-blind eyes tell apart, a little darker; signs repeat what they say.
LOOKS = {
    "previous": ("←", "#0b69a8", "#3f9bd8"),
    "next": ("→", "#4aa8dd", "#8ccff2"),
    "itself": ("•", "#00896a", "#2bbd9b"),
    "earlier": ("=", "#de9400", "#f0b443"),
    "first": ("|", "#8d8a83", "#8f8d88"),
    "induction": ("↻", "#cf5a00", "#f2803a"),
    "separator": (",", "#d9c927", "#e8dc5a"),
    "diagonal": ("\\", "#c06a9c", "#df97c0"),
    "broad": ("≈", "#b9b3a4", "#6b6860"),
}


def show_grid(roles: Roles, stack: Stack, measure: str) -> None:
    """Draw it; a click on a head looks at it."""
    columns = stack.most_heads
    cells = [_cell(roles, stack, measure, place) for place in range(len(stack.calls) * columns)]
    text = {"label": t("roles.grid_label", measure=name_of(measure)), "low": "0", "high": "1", "even": ""}
    top, even = 1.0, roles.layers[stack.row].even.get(measure)
    if measure in UNITS:
        values = [cell.value for cell in cells if not math.isnan(cell.value)]
        top = max([*values, even or 0.0, 1e-9])
        text["high"] = t(f"roles.unit.{measure}", value=written(measure, top))
    if even is not None:
        text["even"] = t("roles.even", value=written(measure, even))
    value_grid(
        value_grid_data(
            cells,
            columns=columns,
            row_names=[f"L{layer}" for layer in stack.layers],
            column_names=[f"H{head}" for head in range(columns)],
            text={**text, "unmeasured": t("roles.unmeasured"), "none": t("roles.none_short")},
            selected=stack.row * columns + stack.head,
            top=top,
            even=even,
            groups=[Group(name_of(role), *LOOKS[role]) for role in ROLES] if measure == ROLE else (),
            height=HEIGHT,
        ),
        key=f"roles_grid_{'_'.join(stack.name)}",
        on_select=on_place(stack.layers, columns),
    )


def _cell(roles: Roles, stack: Stack, measure: str, place: int) -> Cell:
    row, head = divmod(place, stack.most_heads)
    if head >= stack.calls[row].heads:
        return Cell("", math.nan, "", "")
    scores, name = roles.layers[row], f"L{stack.layers[row]} H{head}"
    if measure != ROLE:
        value = scores.value(measure, head)
        shown = math.nan if value is None else value
        return Cell(name, shown, short(measure, value), compared(scores, measure, head))
    role = role_of(scores, head)
    if not_finite(scores, head):
        return Cell(name, math.nan, "", t("roles.not_finite"))
    if role is None:
        kind = nearest_share(scores, head)
        most = "" if kind is None else f"\n{compared(scores, kind, head)}"
        return Cell(name, math.nan, "", t("roles.none_short") + most)
    tip = compared(scores, "evenness" if role.name == "broad" else role.name, head)
    return Cell(name, role.score, short(role.name, role.score), tip, ROLES.index(role.name))
