from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.masks import causal, combine, from_predicate, padding, prefix, sliding_window

sizes = st.integers(1, 12)


@given(n=sizes, m=sizes)
def test_causal_is_the_lower_triangle(n: int, m: int) -> None:
    assert torch.equal(causal(n, m), torch.ones(n, m, dtype=torch.bool).tril())


@given(n=sizes, window=sizes)
def test_window_of_a_causal_mask_keeps_itself_and_those_before(n: int, window: int) -> None:
    mask = combine(causal(n), sliding_window(n, window))
    assert mask is not None
    for i in range(n):
        assert mask[i].nonzero().flatten().tolist() == list(range(max(0, i - window + 1), i + 1))


@given(n=sizes, length=sizes)
def test_prefix_is_seen_by_all(n: int, length: int) -> None:
    expected = [[j < length or j <= i for j in range(n)] for i in range(n)]
    assert prefix(n, length).tolist() == expected


def test_padding_by_position_and_by_length() -> None:
    assert padding(4, [1, 3]).tolist() == [[True, False, True, False]]
    assert padding(3, lengths=[1, 3]).tolist() == [[[True, False, False]], [[True, True, True]]]


def test_predicates_and_combining() -> None:
    even = from_predicate(lambda i, j: (i + j) % 2 == 0, 2)
    assert even.tolist() == [[True, False], [False, True]]
    assert combine(None, even, None) is even
    assert combine(None, None) is None
    both = combine(even, padding(2, [1]))
    assert both is not None
    assert both.tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: sliding_window(3, 0),
        lambda: prefix(3, -1),
        lambda: padding(3, [3]),
        lambda: padding(3, lengths=[4]),
    ],
)
def test_impossible_masks_are_refused(call: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()  # type: ignore[operator]
