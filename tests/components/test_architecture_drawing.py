"""The drawing of a transformer: what is sent to the browser, and what comes back."""

from __future__ import annotations

import numpy as np
import pytest

from components.architecture import (
    SIDE,
    TEXT_KEYS,
    Attention,
    Plain,
    Tower,
    architecture,
    architecture_data,
    parse_place,
    small,
)

TEXT = dict.fromkeys(TEXT_KEYS, "")


def attention(name: str, mask: np.ndarray | None = None) -> Attention:
    return Attention(name, "title", "2 × 2", "L0", "says", np.full((2, 2), 0.5), mask)


@pytest.mark.parametrize("payload", [None, 1, True, "", "elsewhere", ["cross"], {"place": "cross"}])
def test_what_is_no_place_of_ours_is_dropped(payload: object) -> None:
    assert parse_place(payload, ["cross", "encoder"]) is None


def test_a_place_that_was_opened() -> None:
    assert parse_place("cross", ["cross", "encoder"]) == "cross"


def test_small_weights_stay_as_they_are() -> None:
    weights = np.random.default_rng(0).random((5, 9))
    values, mask = small(weights, weights > 0.5)
    np.testing.assert_array_equal(values, weights.astype(np.float32))
    assert mask is not None
    np.testing.assert_array_equal(mask, weights > 0.5)


def test_a_thin_diagonal_survives_being_made_small() -> None:
    values, mask = small(np.eye(500), np.tril(np.ones((500, 500), bool)))
    assert values.shape == (SIDE, SIDE)
    assert (np.diag(values) == 1).all()
    assert mask is not None
    assert mask.shape == (SIDE, SIDE)
    assert mask[0, 0]
    assert not mask[0, -1]


def test_one_long_side_is_made_small_alone() -> None:
    values, mask = small(np.ones((3, 400)), None)
    assert values.shape == (3, SIDE)
    assert mask is None


def test_what_is_not_a_number_does_not_hide_a_number() -> None:
    weights = np.full((200, 200), np.nan)
    weights[1, 1] = 0.25
    values, _ = small(weights, None)
    assert values[0, 0] == np.float32(0.25)
    assert np.isnan(values[-1, -1])


def test_a_mask_of_another_shape_is_refused() -> None:
    tower = Tower("Encoder", 1, [attention("encoder", np.ones((3, 2), bool))])
    with pytest.raises(ValueError, match=r"\(2, 2\), received \(3, 2\)"):
        architecture(
            architecture_data(tower, Tower("Decoder", missing="none"), chosen="", corner=[], text=TEXT),
            key="a",
        )


def test_two_places_of_one_name_are_refused() -> None:
    tower = Tower("Decoder", 1, [attention("same"), attention("same"), Plain("feed_forward", "ff")])
    with pytest.raises(ValueError, match="occur once"):
        architecture(
            architecture_data(Tower("Encoder", missing="none"), tower, chosen="", corner=[], text=TEXT),
            key="b",
        )
