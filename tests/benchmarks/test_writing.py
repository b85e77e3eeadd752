"""Both ways of writing choose the same token."""

from __future__ import annotations

from pathlib import Path

from benchmarks.writing import again, draft_of
from models.generation import Rule
from tests.models.generation.samples import tiny


def test_with_and_without_a_cache(tmp_path: Path) -> None:
    model = tiny("llama", tmp_path)
    draft = draft_of(model, 24)
    assert draft.rows == 24
    for _ in range(4):
        expected = again(model, draft)
        draft = draft.next(Rule())
        assert draft.written[-1] == expected
