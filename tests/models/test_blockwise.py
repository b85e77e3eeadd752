from __future__ import annotations

import pytest
import torch

from models import blockwise, steps
from models.attention import MultiHeadAttention
from models.blockwise import blocks, room


@pytest.mark.parametrize(
    ("heads", "rows", "columns", "cells"),
    [(8, 3, 3, 30), (8, 3, 3, 1), (1, 1, 1, 9), (3, 10, 4, 17), (5, 2, 100, 64), (7, 6, 6, 36)],
)
def test_blocks_cover_every_row_once_and_stay_small(heads: int, rows: int, columns: int, cells: int) -> None:
    times = torch.zeros(heads, rows, dtype=torch.int64)
    for at in blocks(heads, rows, columns, cells):
        times[at] += 1
        assert times[at].numel() * columns <= max(cells, columns)
    assert (times == 1).all()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("cells", [1, 7, 40, 200])
def test_a_cut_changes_no_number(monkeypatch: pytest.MonkeyPatch, cells: int, exact: bool) -> None:
    module, x = MultiHeadAttention(12, 3), torch.randn(7, 12, generator=torch.Generator().manual_seed(1))
    mask = torch.rand(3, 7, 7, generator=torch.Generator().manual_seed(2)) < 0.6
    mask[1, 4] = False
    whole = module.trace(x, mask=mask, exact=exact)
    monkeypatch.setattr(blockwise.blocks, "__defaults__", (cells,))
    cut = module.trace(x, mask=mask, exact=exact)
    for (
        step
    ) in whole.steps:  # a cut makes other shapes: float32 sums of 12 terms of size 1 may be rounded apart
        torch.testing.assert_close(cut[step.name].value, step.value, rtol=1e-5, atol=2e-6)
    assert cut.empty_rows is not None
    assert cut.empty_rows.nonzero().tolist() == [[1, 4]]


def test_nothing_masked_needs_no_grid_of_its_own() -> None:
    trace = MultiHeadAttention(4, 2).trace(torch.ones(3, 4))
    assert trace["masked"].value is trace["scaled"].value


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 3), (2, 1024, 1500)])
def test_room_has_the_shape_and_dtype(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    made = room(shape, torch.empty(1, dtype=dtype))
    assert tuple(made.shape) == shape
    assert made.dtype == dtype
    made.fill_(2.5)
    assert float(made[-1, ..., -1].sum() / made[-1, ..., -1].numel()) == 2.5


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("temperature", [1.0, 0.3, 4.0])
def test_every_step_is_that_of_the_module_steps(temperature: float, exact: bool) -> None:
    """Each recorded step follows from the recorded one before it, by the functions that a reader is shown."""
    module, x = MultiHeadAttention(12, 3), torch.randn(7, 12, generator=torch.Generator().manual_seed(1))
    mask = torch.rand(3, 7, 7, generator=torch.Generator().manual_seed(2)) < 0.6
    mask[2, 5] = False
    trace = module.trace(x, mask=mask, temperature=temperature, exact=exact)
    made = {name: trace[name].value for name in trace.names}
    expected = {
        "scores": steps.dot_products(made["query"], made["key"]),
        "scaled": steps.scale_scores(made["scores"], trace.scale),
        "masked": steps.apply_mask(made["scaled"], mask),
        "weights": steps.softmax(made["masked"], temperature),
        "head_output": steps.mix_values(made["weights"], made["value"]),
    }
    for name, value in expected.items():
        torch.testing.assert_close(made[name], value, rtol=1e-5, atol=1e-6)
    assert (made["weights"][~mask] == 0).all()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_a_row_that_is_no_number_is_not_taken_for_an_empty_one(temperature: float, exact: bool) -> None:
    module, x = MultiHeadAttention(4, 2), torch.ones(5, 4)
    x[1] = torch.nan
    mask = torch.eye(5, dtype=torch.bool)
    mask[[3, 4]] = False  # 3 and 4 see nothing
    trace = module.trace(x, mask=mask, temperature=temperature, exact=exact)
    assert trace.empty_rows is not None
    assert trace.empty_rows.tolist() == [[False, False, False, True, True]] * 2
    weights = trace["weights"].value
    assert weights[:, 1].isnan().all()
    assert (weights[:, [3, 4]] == 0).all()
    assert (weights[:, [0, 2]].sum(-1) == 1).all()


@pytest.mark.parametrize("exact", [True, False])
def test_nothing_visible_anywhere(exact: bool) -> None:
    trace = MultiHeadAttention(4, 2).trace(torch.ones(3, 4), mask=torch.zeros(3, 3).bool(), exact=exact)
    assert trace.empty_rows is not None
    assert trace.empty_rows.all()
    assert not trace["weights"].value.any()
    assert not trace["output"].value.any()
