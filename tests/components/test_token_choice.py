"""Every candidate has its probability."""

import pytest

from components.token_choice import token_choice, token_choice_data


def test_a_candidate_without_a_probability_is_refused() -> None:
    with pytest.raises(ValueError, match="each of 2 labels was expected, received 1"):
        token_choice(token_choice_data(["a", "b"], [0.5], 0.5, next_one=0, text={}), key="choice")
