"""The bars get as many names as sizes."""

import numpy as np
import pytest

from components.token_bars import token_bars, token_bars_data


def test_a_bar_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="2 bars was expected, received 1"):
        token_bars(token_bars_data(np.array([1.0, 2.0]), [["one"]], label="sizes"), key="bars")
