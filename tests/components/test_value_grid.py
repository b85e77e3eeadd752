"""What the value grid sends to the browser, and what it refuses."""

from __future__ import annotations

import json
import math

import pytest
from streamlit.testing.v1 import AppTest

from components.value_grid import Cell, value_grid, value_grid_data

TEXT = {"label": "l", "low": "0", "high": "1", "even": "", "unmeasured": "u", "none": "n"}


def page() -> None:
    import math

    from components.value_grid import Cell, Group, value_grid, value_grid_data

    cells = [Cell("L0 H0", 0.5, ".50", "half"), Cell("L0 H1", math.nan, "", "<b>none</b>", 0)]
    text = {"label": "l", "low": "0", "high": "1", "even": "", "unmeasured": "u", "none": "n"}
    groups = [Group("$x$", "=", "#000000", "#ffffff")]
    value_grid(
        value_grid_data(
            cells,
            columns=2,
            row_names=["L0"],
            column_names=["H0", "H1"],
            text=text,
            selected=0,
            top=2.0,
            even=0.5,
            groups=groups,
        ),
        key="k",
    )


def test_values_travel_as_numbers_and_words_as_text() -> None:
    app = AppTest.from_function(page).run()
    assert not app.exception
    proto = app.get("bidi_component")[0].proto
    data = json.loads(proto.mixed.json)
    assert data["names"] == ["L0 H0", "L0 H1"]
    assert data["tips"] == ["half", "<b>none</b>"]
    assert data["members"] == [-1, 0]
    assert data["groups"] == [{"name": "$x$", "sign": "=", "light": "#000000", "dark": "#ffffff"}]
    assert (data["top"], data["even"], data["selected"]) == (2.0, 0.25, 0)
    assert "NaN" not in proto.mixed.json


def test_rows_have_to_be_whole() -> None:
    cells = [Cell("L0 H0", math.nan, "", "")] * 3
    with pytest.raises(ValueError, match="rows of 2"):
        value_grid(
            value_grid_data(cells, columns=2, row_names=[], column_names=[], text=TEXT, selected=0), key="k"
        )
