"""One computation per settings: equal settings share it, the smallest edit does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.session import digest, trace_of
from app.weights import looks
from models.edits import Edits
from models.errors import InputError
from models.settings import PRESETS, Settings

ANIMAL = PRESETS["animal"]
CHANGES = {
    "cut": "characters",
    "text": "other", "vectors": "worked", "seed": 8, "d_model": 32, "heads": 2, "d_k": 4, "d_v": 5, "position": "none",
    "mask": "causal", "hidden": (1,), "temperature": 1.5, "edits": Edits().with_cell("w_q", 15, 15, 1e-3),
}  # fmt: skip


def test_every_field_counts() -> None:
    assert set(CHANGES) == set(Settings.__dataclass_fields__)
    changed = {digest(replace(ANIMAL, **{name: value})) for name, value in CHANGES.items()}
    assert len(changed | {digest(ANIMAL)}) == len(CHANGES) + 1


@given(st.text(max_size=20), st.integers(0, 99))
def test_equal_settings_have_equal_digests(text: str, seed: int) -> None:
    assert digest(Settings(text, seed=seed)) == digest(Settings(text, seed=seed))


def test_equal_settings_share_a_trace() -> None:
    assert trace_of(ANIMAL).trace is trace_of(replace(ANIMAL)).trace
    edited = replace(ANIMAL, edits=Edits().with_cell("w_q", 0, 0, 3.0))
    assert trace_of(edited).trace.parameters["w_q"][0, 0] == 3.0


def test_settings_that_cannot_be_used_are_not_cached_away() -> None:
    for _ in range(2):
        with pytest.raises(InputError):
            trace_of(replace(ANIMAL, d_model=10))


def test_masked_and_padded_cells_are_told_apart() -> None:
    trace = trace_of(replace(ANIMAL, mask="causal", hidden=(1,))).trace
    found = looks(trace)
    assert found["mask"] is not None
    assert found["padded"] is not None
    hidden = np.arange(10) == 1
    assert np.array_equal(found["padded"], np.tile(hidden, (10, 1)))
    assert np.array_equal(found["mask"], np.tri(10, dtype=bool) & ~hidden)
    assert looks(trace_of(ANIMAL).trace) == {"mask": None, "padded": None}
