"""Shares and chances belong to tokens."""

import numpy as np
import pytest

from components.token_text import Line, _payload, token_text, token_text_data

TEXT = {"written": "", "asks": "", "share": ""}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (Line("", ["a", "b"], 2, shares=np.array([1.0])), "a share for each of 2 tokens"),
        (Line("", ["a", "b", "c"], 1, chances=[0.5]), "a chance for each of 2 written tokens"),
    ],
)
def test_what_does_not_fit_is_refused(line: Line, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        token_text(token_text_data([line], keys=2, text=TEXT), key="text")


def test_a_share_that_is_no_number_tints_nothing() -> None:
    payload = _payload(Line("written", ["a", "b"], 1, [0.25], np.array([np.nan, 0.5]), asks=1, open=True))
    assert payload["shares"] == [0.0, 0.5]
    assert (payload["asks"], payload["chances"], payload["open"]) == (1, [0.25], True)
    assert _payload(Line("", [], 0))["asks"] == -1
