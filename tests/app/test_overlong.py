"""What is too long for an address comes back whole from the tab that kept it, and nothing else does."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bindings import with_model_view, with_settings
from app.overlong import names_of, rest_of, with_rest
from app.url import State, decode, encode
from models.edits import Edits, MatrixEdit

LONG = "word " * 1_300
RANDOM = random.Random(0)
VALUES = tuple(tuple(RANDOM.random() for _ in range(60)) for _ in range(60))
WIDE = Edits({"w_q": MatrixEdit(base="values", values=VALUES)})


def test_an_ordinary_state_lacks_nothing() -> None:
    assert rest_of(State()) is None
    assert rest_of(with_settings(State(), text="我喜欢苹果和梨")) is None


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (with_settings(State(), text=LONG), ("text",)),
        (with_settings(State(), text="长" * 900), ("text",)),
        (with_settings(State(), text="donaudampfschiff" * 600), ("text",)),  # one token, too long by itself
        (with_settings(State(), edits=WIDE), ("edits",)),
        (with_model_view(State(), text=LONG, pair=LONG + "!"), ("mpair", "mtext")),
        (replace(with_settings(State(), edits=WIDE), second_text=LONG), ("edits", "text2")),
    ],
)
def test_it_comes_back_whole(state: State, names: tuple[str, ...]) -> None:
    rest = rest_of(state)
    assert rest is not None
    assert names_of(rest[0]) == names
    opened, ignored = decode({name: [value] for name, value in encode(state).items()}, "en")
    assert ignored == ()
    assert opened != state
    assert with_rest(opened, *rest) == state


def test_another_text_has_another_name() -> None:
    one, other = (rest_of(with_settings(State(), text=LONG + end)) for end in "ab")
    assert one is not None
    assert other is not None
    # the sentence is used up to its last token only, but all of it is kept
    assert one[0] != other[0]


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "{}",
        "[",
        "null",
        json.dumps({"text": "short"}),
        json.dumps({"preset": "x"}),
        "[" * 100_000,
    ],
)
def test_what_is_not_what_the_address_names_is_refused(text: Any) -> None:
    rest = rest_of(with_settings(State(), text=LONG))
    assert rest is not None
    with pytest.raises(ValueError, match=r"."):
        with_rest(State(), rest[0], text)


@pytest.mark.parametrize(
    "values", ["[1]", '{"text": 7}', '{"preset": "x"}', '{"edits": "w_q:zz"}', "[" * 5_000, "7"]
)
def test_a_text_with_the_right_digest_is_still_read_with_care(values: str) -> None:
    from app.overlong import _digest

    with pytest.raises(ValueError, match=r"."):
        with_rest(State(), f"text-{_digest(values)}", values)


@given(st.text(max_size=60))
def test_names_of_never_fails(name: str) -> None:
    assert isinstance(names_of(name), tuple)


@pytest.mark.parametrize(
    "name", ["", "text", "text-12", "seed-0123456789abcdef", "text.seed-0123456789abcdef", "-" * 20]
)
def test_other_names_name_nothing(name: str) -> None:
    assert names_of(name) == ()
