"""Which links are sent to the browser and what comes back."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from components.token_links import Pick, parse_pick, strongest_keys, token_links, token_links_data


@given(arrays.arrays(np.float32, (2, 3, 7), elements=some.floats(0, 1, width=32)), some.integers(1, 9))
def test_the_strongest_keys_in_falling_order(weights: npt.NDArray[np.float32], kept: int) -> None:
    keys, values = strongest_keys(weights, kept)
    kept = min(kept, 7)
    assert keys.shape == values.shape == (2, 3, kept)
    for head in range(2):
        for query in range(3):
            row = weights[head, query]
            assert values[head, query].tolist() == sorted(row.tolist(), reverse=True)[:kept]
            assert [row[key] for key in keys[head, query]] == values[head, query].tolist()
            assert len(set(keys[head, query].tolist())) == kept


def test_nan_is_no_link() -> None:
    _, values = strongest_keys(np.array([[[math.nan, 0.25]]]), 2)
    assert values.ravel().tolist() == [0.25, 0.0]


@pytest.mark.parametrize(
    ("payload", "pick"),
    [
        ({"side": "query", "index": 1}, Pick("query", 1)),
        ({"side": "key", "index": 2.0}, Pick("key", 2)),
        ({"side": "query", "index": 2}, None),  # two queries, three keys
        ({"side": "both", "index": 0}, None),
        ({"side": ["query"], "index": 0}, None),
        ({"index": 0}, None),
        (None, None),
        (3, None),
    ],
)
def test_only_tokens_of_the_picture_are_taken(payload: object, pick: Pick | None) -> None:
    assert parse_pick(payload, queries=2, keys=3) == pick


def test_labels_must_fit() -> None:
    with pytest.raises(ValueError, match="expected 1 names, 2 query and 3 key labels, received 1, 2 and 2"):
        token_links(
            token_links_data(
                np.zeros((1, 2, 3)), "ab", "ab", names=["one"], active=0, text={}, clickable=False
            ),
            key="l",
        )
