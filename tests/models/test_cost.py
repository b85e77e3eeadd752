"""Table 1 of Vaswani et al., filled in, against counted operations, counted paths, and PyTorch's own counting."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from torch.utils.flop_counter import FlopCounterMode

from models.cost import Cost, Sizes, dilated_layers, layers_across, table
from models.layers import Convolution, RestrictedAttention

small = some.integers(1, 5)


def rows(n: int, d: int, k: int, r: int) -> dict[str, Cost]:
    return {row.layer: row for row in table(Sizes(n, d, k, r))}


@given(small, small, small, small)
def test_operations_are_what_loops_count(n: int, d: int, k: int, r: int) -> None:
    found = rows(n, d, k, r)
    pairs = sum(1 for _ in range(n) for _ in range(n) for _ in range(d))  # every query · every key
    steps = sum(1 for _ in range(n) for _ in range(d) for _ in range(d))  # a d × d matrix per step
    windows = sum(1 for _ in range(n) for _ in range(k) for _ in range(d) for _ in range(d))
    near = sum(1 for _ in range(n) for _ in range(min(r, n)) for _ in range(d))
    assert [found[name].operations for name in ("attention", "recurrent", "convolutional", "restricted")] == [
        pairs,
        steps,
        windows,
        near,
    ]


def test_pytorch_counts_the_same_up_to_constants() -> None:
    """A multiplication and an addition per product; attention has two products, q·k and weights · values."""
    n, d, k = 24, 16, 3
    q = torch.randn(1, n, d)
    with FlopCounterMode(display=False) as attention:
        torch.bmm(torch.softmax(torch.bmm(q, q.mT), -1), q)
    with FlopCounterMode(display=False) as convolution:
        Convolution(d, k)(q)
    assert attention.get_total_flops() == 4 * rows(n, d, k, 8)["attention"].operations
    assert convolution.get_total_flops() == 2 * rows(n, d, k, 8)["convolutional"].operations


def test_the_paper_s_sizes() -> None:
    found = rows(64, 512, 3, 32)
    assert found["attention"].operations == 2_097_152
    assert found["recurrent"].operations == 16_777_216
    assert found["attention"].sequential == found["attention"].path == 1
    assert found["recurrent"].sequential == found["recurrent"].path == 64
    assert found["convolutional"].path == 63  # one token further per layer
    assert found["dilated"].path == 4  # 3⁴ = 81 ≥ 64
    assert found["restricted"].path == 4  # 16 tokens further per layer


@given(some.integers(1, 60), some.integers(2, 6))
def test_a_dilated_stack_sees_everything_and_one_layer_less_does_not(n: int, k: int) -> None:
    def reach(layers: int) -> int:  # how many inputs the last output depends on
        seen = {0}
        for layer in range(layers):
            seen = {position + tap * k**layer for position in seen for tap in range(k)}
        return len(seen)

    layers = int(dilated_layers(n, k))
    assert reach(layers) >= n
    assert layers == 1 or reach(layers - 1) < n


def test_a_kernel_of_one_never_meets_another_token() -> None:
    assert dilated_layers(5, 1) == math.inf
    assert dilated_layers(1, 1) == 1


def test_a_neighbourhood_wider_than_the_sentence_is_the_sentence() -> None:
    found = rows(10, 4, 3, 1000)
    assert found["restricted"].operations == found["attention"].operations
    assert found["restricted"].path == 1


@pytest.mark.parametrize("sizes", [(0, 1, 1, 1), (1, 1, 1, -1)])
def test_sizes_below_one_are_refused(sizes: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Sizes(*sizes)


@pytest.mark.parametrize(("n", "kernel"), [(6, 3), (9, 5), (7, 4), (2, 3), (5, 31)])
def test_a_plain_stack_is_as_deep_as_the_table_says(n: int, kernel: int) -> None:
    """By the gradient of the last output with respect to the first input, through PyTorch's own convolutions."""

    def meets(layers: int) -> bool:
        x = torch.randn(1, n, 2, requires_grad=True)
        out = x
        for _ in range(layers):
            out = Convolution(2, kernel)(out)
        out[0, -1].sum().backward()
        assert x.grad is not None
        return bool(x.grad[0, 0].any())

    layers = int(rows(n, 2, kernel, 4)["convolutional"].path)
    assert meets(layers)
    assert layers == 1 or not meets(layers - 1)


@pytest.mark.parametrize(("n", "neighbourhood"), [(8, 4), (9, 3), (5, 8)])
def test_a_stack_of_neighbourhoods_is_as_deep_as_the_table_says(n: int, neighbourhood: int) -> None:
    def meets(layers: int) -> bool:
        x = torch.randn(1, n, 4, requires_grad=True)
        out = x
        for _ in range(layers):
            out = RestrictedAttention(4, neighbourhood)(out)
        out[0, -1].sum().backward()
        assert x.grad is not None
        return bool(x.grad[0, 0].any())

    layers = int(rows(n, 4, 3, neighbourhood)["restricted"].path)
    assert meets(layers)
    assert layers == 1 or not meets(layers - 1)


@pytest.mark.parametrize("kernel", [1, 2])
def test_a_plain_kernel_that_carries_nothing_never_gets_there(kernel: int) -> None:
    assert rows(5, 2, kernel, 4)["convolutional"].path == math.inf
    assert layers_across(1, 0) == 1
