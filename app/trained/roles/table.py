"""All heads and all measures as a table that can be sorted, searched, clicked and taken away as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from app import choices, state
from app.i18n import t
from app.trained.roles.roles import Roles
from app.trained.roles.words import ROLE, name_of
from app.trained.stack import Stack
from components.save_file import save_file
from models.head_roles import MEASURES, ROLES, role_of

HEIGHT = 370  # pixels: ten rows
DIGITS = 6  # in the file

Row = dict[str, object]


def show_table(roles: Roles, stack: Stack, measure: str) -> None:
    """Draw it; choosing a row looks at the head."""
    names = [name for name in MEASURES if any(name in scores.values for scores in roles.layers)]
    rows = rows_of(roles, stack)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f"<h2>{t('roles.table')}</h2>", width="content")
        choices.segments(
            t("roles.sort"),
            ("score", "place"),
            lambda order: t(f"roles.order.{order}", measure=name_of(measure)),
            state.knob("r_sort"),
            required=True,
            label_visibility="collapsed",
        )
        save_file(
            t("roles.download"),
            as_csv(rows),
            name=f"heads-{roles.on}.csv",
            mime="text/csv",
            key="am.roles_csv",
        )
    if state.lab("r_sort") == "score":
        rows = strongest_first(rows, measure)
    _draw(rows, names, measure, stack)


def rows_of(roles: Roles, stack: Stack) -> list[Row]:
    """One row per head: layer, head, role (its key, or None) and every measure (None where it was not taken)."""
    return [
        {
            "layer": call.layer,
            "head": head,
            ROLE: role.name if (role := role_of(scores, head)) else None,
            **{name: scores.value(name, head) for name in MEASURES},
        }
        for call, scores in zip(stack.calls, roles.layers, strict=True)
        for head in range(call.heads)
    ]


def strongest_first(rows: Sequence[Row], measure: str) -> list[Row]:
    """By the measure, highest first and what was not measured last; by role, in the order of the legend."""

    def place(row: Row) -> tuple[float, float]:
        if measure != ROLE:
            value = row[measure]
            return (0, -value) if isinstance(value, float) else (1, 0)
        role = row[ROLE]
        if not isinstance(role, str):
            return (len(ROLES), 0)
        value = row["evenness" if role == "broad" else role]
        return (ROLES.index(role), -value if isinstance(value, float) else 0)

    return sorted(rows, key=place)


def as_csv(rows: Sequence[Row]) -> bytes:
    """The table as a file, in the order of the model; what was not measured is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(rows[0])
    writer.writerow(names)
    for row in rows:
        writer.writerow(
            ["" if (v := row[n]) is None else round(v, DIGITS) if isinstance(v, float) else v for n in names]
        )
    return out.getvalue().encode()


def _draw(rows: list[Row], names: list[str], measure: str, stack: Stack) -> None:
    key = f"roles_table_{'_'.join(stack.name)}"
    shown = [
        {**row, "layer": f"L{row['layer']}", "head": f"H{row['head']}", ROLE: _role_name(row[ROLE])}
        for row in rows
    ]

    def look() -> None:
        picked = (state.widget(key) or {}).get("selection", {}).get("rows", [])
        if picked and picked[0] < len(rows):
            state.look(layer=rows[picked[0]]["layer"], head=rows[picked[0]]["head"])

    at = next(n for n, row in enumerate(rows) if (row["layer"], row["head"]) == (stack.layer, stack.head))
    state.mark_row(key, at)
    st.dataframe(
        pa.table(
            {
                name: [row[name] for row in shown]
                for name in ("layer", "head", ROLE, *_chosen_first(names, measure))
            }
        ),
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(rows)),
        column_config=_columns(names, measure),
        key=key,
        on_select=look,
        selection_mode="single-row",
    )


def _chosen_first(names: Sequence[str], measure: str) -> list[str]:
    return sorted(names, key=lambda name: name != measure)


def _role_name(role: object) -> str:
    return "" if role is None else t(f"trained.kind.{role}")


def _columns(names: Sequence[str], measure: str) -> dict[str, Any]:
    """Heads, formats and helps of the columns; the chosen measure has bars."""
    config: dict[str, Any] = {
        "layer": st.column_config.TextColumn(t("roles.column.layer"), width=55),
        "head": st.column_config.TextColumn(t("roles.column.head"), width=55),
        ROLE: st.column_config.TextColumn(name_of(ROLE), help=t("roles.about.role")),
    }
    for name in names:
        about, form = t(f"roles.about.{name}"), "%.1f" if name == "distance" else "%.2f"
        if name == measure and name not in ("distance", "entropy"):
            config[name] = st.column_config.ProgressColumn(
                name_of(name), help=about, format=form, min_value=0.0, max_value=1.0
            )
        else:
            config[name] = st.column_config.NumberColumn(name_of(name), help=about, format=form)
    return config
