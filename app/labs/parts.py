"""Small parts of a laboratory's page: the legend above a picture, a table of numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from app.labs.knobs import KNOBS

_STYLE = Path(__file__).with_name("lab.css")


def bounds(name: str) -> dict[str, Any]:
    """The `min_value` and `max_value` of the widget of a knob that is a number."""
    knob = KNOBS[name]
    kind = float if isinstance(knob.default, float) else int
    return {"min_value": kind(knob.low), "max_value": kind(knob.high)}


def load_style() -> None:
    """The style of the parts below and of single pages; once per page is enough."""
    st.html(_STYLE)


def legend(entries: Sequence[tuple[str, str]], marks: str = "") -> None:
    """What the colours mean, once for all charts below: pairs of a colour's name in the theme and a text; `marks`
    says what full and dotted lines are."""
    load_style()
    items = "".join(f'<span><i class="am-c-{colour}"></i>{escape(text)}</span>' for colour, text in entries)
    st.html(f'<p class="am-legend">{items}<em>{escape(marks)}</em></p>')


def number_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, marked: int = -1) -> None:
    """Words in the first column, numbers in the others; row `marked` stands out."""
    load_style()
    titles = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "".join(
        f"<tr{' class=am-marked' if index == marked else ''}>"
        f'<th scope="row">{escape(row[0])}</th>' + "".join(_cell(cell) for cell in row[1:]) + "</tr>"
        for index, row in enumerate(rows)
    )
    st.html(
        f'<div class="am-numbers"><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cell(text: str) -> str:
    return f"<td{' class=am-nan' if text == 'NaN' else ''}>{escape(text)}</td>"
