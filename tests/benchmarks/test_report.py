from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.__main__ import keep, main
from benchmarks.report import Section

TABLE = Section("Title", {"name": "", "count": ",d", "×": ".2f"},
                [{"name": "a", "count": 1234, "×": 0.5, "hidden": 1}, {"name": "longer", "count": 5, "×": None}],
                ("A note.",))  # fmt: skip


def test_a_table_lines_up() -> None:
    assert TABLE.as_text().split("\n") == [
        "Title",
        "-------------------",
        "name    count     ×",
        "-------------------",
        "a       1,234  0.50",
        "longer      5     –",
        "-------------------",
        "A note.",
    ]


def test_results_of_other_parts_stay(tmp_path: Path) -> None:
    path = tmp_path / "build" / "bench.json"
    keep({"engine": [TABLE], "memory": [TABLE]}, path)
    keep({"memory": []}, path)
    kept = json.loads(path.read_text("utf-8"))
    assert kept["memory"] == []
    assert kept["engine"][0]["rows"][0] == {"name": "a", "count": 1234, "×": 0.5, "hidden": 1}


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["engine", "wheels"])
    assert "no part wheels: there are engine" in capsys.readouterr().err
