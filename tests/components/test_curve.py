"""What the curves send to the browser, and what they accept from there."""

from __future__ import annotations

import pytest

from components import curve as module
from components.curve import CurvePanel, Level, Line, curve, curve_data, parse_step

WORDS = {name: name for name in module.TEXT_KEYS}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [(20, 20), (0, 0), (21, None), ("20", None), (20.0, None), (None, None), (True, None), ([20], None)],
)
def test_only_a_snapshot_that_exists_can_be_chosen(payload: object, expected: int | None) -> None:
    assert parse_step(payload, [0, 20]) == expected


def test_a_line_has_a_value_for_every_step() -> None:
    with pytest.raises(ValueError, match="loss: 3 values were expected, received 2"):
        curve(
            curve_data(
                [1, 2, 3], [CurvePanel("a", [Line("loss", [1, 2])])], snapshots=[0], chosen=0, text=WORDS
            ),
            key="k",
        )


def test_what_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {}
    monkeypatch.setattr(module, "_COMPONENT", lambda **arguments: sent.update(arguments["data"]))
    same = Line("loss", [3.0, float("nan")])
    panels = [CurvePanel("a", [same, Line("right", [0.5, 1.0], "v", share=True)], [Level("guessing", 4.1)])]
    curve(curve_data([1, 2], panels, snapshots=[0, 2], chosen=2, text=WORDS, last=100), key="k")
    assert sent["line0"].column("v").to_pylist()[0] == 3.0
    assert sent["line1"].column("v").to_pylist() == [0.5, 1.0]
    assert [line["column"] for line in sent["panels"][0]["lines"]] == ["line0", "line1"]
    assert sent["panels"][0]["levels"] == [["guessing", 4.1]]
    assert (sent["snapshots"], sent["chosen"], sent["last"]) == ([0, 2], 2, 100)
