"""One notion of what counts as no difference."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from models.build import build
from models.masked import MaskChoice, moved, under_mask
from models.rounding import ROUNDING, distances
from models.settings import PRESETS


@given(some.floats(1e-6, 1e6), some.floats(-1, 1), some.sampled_from([torch.float64, torch.float32]))
def test_noise_is_none_at_every_size_and_a_change_is_one(
    size: float, noise: float, dtype: torch.dtype
) -> None:
    vectors = size * torch.randn(3, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    rounded = (vectors * (1 + noise * torch.finfo(dtype).eps)).to(dtype)
    assert not distances(vectors.to(dtype), rounded).any()
    assert (distances(vectors.to(dtype), (1.001 * vectors).to(dtype)) > 0).all()


def test_what_is_no_number_is_not_called_equal() -> None:
    found = distances(torch.tensor([[1.0, torch.nan], [1.0, 2.0]]), torch.ones(2, 2))
    assert found.isnan().tolist() == [True, False]
    assert float(found[1]) == 1


def test_the_coarser_type_decides() -> None:
    exact = torch.ones(1, 4, dtype=torch.float64)
    assert not distances(exact, (exact * (1 + ROUNDING[torch.float32] / 3)).float()).any()
    assert distances(exact, exact * (1 + ROUNDING[torch.float32] / 3)).any()


@pytest.mark.parametrize("added", ["again", "cat", "，"])
@pytest.mark.parametrize("text", ["The animal did not cross the street", "one", "小猫 没有 过 马路"])
def test_a_causal_mask_leaves_earlier_outputs_where_they_are(text: str, added: str) -> None:
    """Longer sentences take other kernels; what they round differently is no move (it was drawn as tall bars)."""
    settings = replace(PRESETS["animal"], text=text)
    traces = [build(settings), build(replace(settings, text=f"{text} {added}"))]
    for causal in (True, False):
        choice = MaskChoice(causal=causal)
        before, after = (under_mask(trace, choice.visible(len(trace.labels("query")))) for trace in traces)
        found = moved(before, after)
        assert bool(found.any()) != causal
        assert bool((found > 0).all()) != causal
