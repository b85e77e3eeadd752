"""A view is two things: a pure function that makes its data, and what paints such a dict."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.test_architecture import parse, sources

NO_PICTURE = {"address", "save_file"}  # they keep and hand over, and have no data to draw
ELSEWHERE = {"stage": "stage_data"}  # modules whose data function stands in a module of its own
RUNNING = {"_COMPONENT", "said", "st", "peek"}  # what needs a running app


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in parse(path).body if isinstance(node, ast.FunctionDef)}


def drawn() -> list[Path]:
    paths = [path for path in sources("components") if "_COMPONENT" in path.read_text("utf-8")]
    return [path for path in paths if path.stem not in NO_PICTURE]


def test_all_views_are_seen() -> None:
    assert len(drawn()) >= 14


@pytest.mark.parametrize("path", drawn(), ids=lambda path: path.stem)
def test_a_view_has_a_pure_data_function(path: Path) -> None:
    found = functions(path)
    (mount,) = [name for name, node in found.items() if "_COMPONENT" in ast.dump(node)]
    data = path.with_name(f"{ELSEWHERE.get(path.stem, path.stem)}.py")
    made = functions(data)[f"{mount}_data"]
    assert not {node.id for node in ast.walk(made) if isinstance(node, ast.Name)} & RUNNING
    assert [argument.arg for argument in found[mount].args.args] == ["data"]
    assert found[mount].returns is not None
    assert ast.unparse(found[mount].returns) == "None"  # it calls back, and returns nothing
