from __future__ import annotations

import numpy as np
import pytest

from components.encoding import Wave, encoding, encoding_data
from components.plane import parse_drag


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {"name": "q"},
        {"name": "z", "x": 1, "y": 1},
        {"name": "q", "x": True, "y": 1},
        {"name": "q", "x": 9, "y": 1},
        {"name": "q", "x": float("nan"), "y": 1},
        {"name": "q", "x": "1", "y": 1},
    ],
)
def test_what_is_no_arrow_of_ours_is_dropped(payload: object) -> None:
    assert parse_drag(payload, {"q": 4.0}) is None


def test_a_dropped_arrow() -> None:
    assert parse_drag({"name": "q", "x": -4, "y": 1.25}, {"q": 4.0}) == ("q", -4.0, 1.25)


def test_an_encoding_has_as_many_values_as_its_steps_say() -> None:
    text = dict.fromkeys(("label", "tip", "position", "dimension", "hint"), "")
    with pytest.raises(ValueError, match=r"\(3, 2\)"):
        encoding(
            encoding_data(
                np.zeros((3, 3)), [Wave(0, np.zeros(5))], length=5, dimensions=4, steps=(2, 2), text=text
            ),
            key="e",
        )
