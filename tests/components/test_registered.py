"""Numbers that JSON has no word for, on their way to a component."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some

import components
from components.registered import reviving, sendable

VALUES = some.recursive(
    some.floats() | some.integers() | some.text(max_size=3) | some.none() | some.booleans(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES)
def test_whatever_is_sent_is_json(value: object) -> None:
    json.dumps(sendable(value), allow_nan=False)


@pytest.mark.parametrize(
    ("number", "word"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")]
)
def test_a_number_that_is_not_finite_has_a_word(number: float, word: str) -> None:
    assert sendable({"a": [1.5, (number,)]}) == {"a": [1.5, [{"$number": word}]]}


def test_tables_stay_as_they_are() -> None:
    table = pa.table({"v": [math.nan]})
    assert sendable({"v": table})["v"] is table


def test_a_script_without_a_default_function_is_refused() -> None:
    with pytest.raises(ValueError, match="export default function"):
        reviving("export const a = 1;")


def test_every_component_is_registered_this_way() -> None:
    folder = Path(components.__file__).parent
    direct = [p.name for p in folder.rglob("*.py") if re.search(r"v2\.component\(", p.read_text("utf-8"))]
    assert direct == ["registered.py"]
