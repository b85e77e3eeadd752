"""A file to be saved has a name, and its bytes are sent with its button."""

import pytest

from components.save_file import save_file


@pytest.mark.parametrize("name", ["", "a/b.csv"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a file's name was expected"):
        save_file("Save", b"1", name=name, mime="text/csv", key="save")
