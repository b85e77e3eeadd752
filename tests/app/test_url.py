"""The state as an address: what is written can be read back, and nothing that is read can do harm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parameters import LINK_LIMIT
from app.url import State, View, clean, decode, encode, tidy, too_long
from models.edits import Edits
from models.settings import MAX_D_MODEL, MAX_HEADS, MAX_SEED, PRESETS, Settings
from models.vocabulary import ORDER

NAMES = ("preset", "text", "vec", "seed", "d", "heads", "dk", "dv", "pos", "mask", "hide", "temp", "edits",
         "lang", "step", "i", "j", "head", "text2", "matrix")  # fmt: skip


def through_address(state: State) -> State:
    """As a browser sees it: written, percent-encoded, parsed, read."""
    query = urlencode(encode(state))
    read, ignored = decode(parse_qs(query, keep_blank_values=True), "en")
    assert ignored == ()
    return read


def sizes(limit: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(1, limit)


settings = st.builds(
    Settings,
    text=st.text(max_size=60).map(clean),
    vectors=st.sampled_from(["seeded", "worked"]),
    seed=st.integers(0, MAX_SEED),
    d_model=st.integers(1, MAX_D_MODEL),
    heads=st.integers(1, MAX_HEADS),
    d_k=sizes(512),
    d_v=sizes(512),
    position=st.sampled_from(["none", "sinusoidal"]),
    mask=st.sampled_from(["none", "causal"]),
    hidden=st.sets(st.integers(0, 255), max_size=5).map(lambda found: tuple(sorted(found))),
    temperature=st.integers(5, 1000).map(lambda hundredths: hundredths / 100),
    edits=st.sampled_from(
        [Edits(), Edits().with_cell("w_q", 0, 1, 0.25), Edits().with_base("w_o", "identity")]
    ),
)
states = st.builds(
    State,
    preset=st.sampled_from(list(PRESETS)),
    settings=settings,
    language=st.sampled_from(["en", "zh"]),
    view=st.builds(
        View,
        step=st.sampled_from(ORDER),
        i=st.integers(0, 255),
        j=st.integers(0, 4000),
        head=st.integers(0, MAX_HEADS - 1),
    ),
    second_text=st.none() | st.text(max_size=60).map(clean),
    matrix=st.sampled_from(["embedding", "w_q", "w_o"]),
)


@given(states)
def test_an_address_reopens_the_same_state(state: State) -> None:
    assert tidy(through_address(state)) == tidy(state)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_needs_only_its_name(name: str) -> None:
    written = encode(State(preset=name, settings=PRESETS[name]))
    assert written == ({} if name == "fruit" else {"preset": name})


def test_emptied_text_and_sizes_back_to_automatic_are_written() -> None:
    state = State(settings=replace(PRESETS["fruit"], text="", hidden=(0, 2), d_k=5))
    assert encode(state) == {"text": "", "hide": "0,2", "dk": "5"}
    assert through_address(state) == state


def test_the_language_is_always_in_the_address_of_a_reader_whose_own_is_another() -> None:
    assert encode(State(language="en"), default_language="zh") == {"lang": "en"}
    assert encode(State(language="zh"), default_language="zh") == {"lang": "zh"}
    assert encode(State(language="en"), default_language="en") == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("preset", "unknown"), ("preset", ""), ("vec", "learned"), ("d", "99999"), ("d", "abc"), ("d", "0"),
        ("d", "１６"), ("d", "8.0"), ("d", " 8"), ("heads", "-1"), ("heads", "1e9"), ("seed", "9" * 5000),
        ("i", str(10**30)), ("i", "-1"), ("i", "3"), ("head", "1"), ("j", "NaN"), ("edits", "garbage"),
        ("edits", "A" * 10**6),
        ("text", "x" * 10**6), ("text2", "x" * 10**6), ("step", "__proto__"), ("step", "constructor"),
        ("temp", "nan"), ("temp", "inf"), ("temp", "-1"), ("temp", "0"), ("temp", "1e400"), ("temp", "ice"),
        ("hide", "1,,2"), ("hide", "1;2"), ("hide", "-1"), ("hide", "256"), ("pos", "rotary"),
        ("mask", "<script>alert(1)</script>"), ("lang", "../../etc/passwd"), ("lang", "xx"),
        ("matrix", "w_x"), ("dk", "-3"), ("dv", "none"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_left_out_and_named(name: str, value: str) -> None:
    neighbour, kept = ("seed", 5) if name == "mask" else ("mask", "causal")
    state, ignored = decode({name: [value], neighbour: [str(kept)]}, "en")
    assert ignored == (name,)
    assert state == State(settings=replace(PRESETS["fruit"], **{neighbour: kept}))


def test_a_parameter_given_twice_is_left_out() -> None:
    state, ignored = decode({"d": ["8", "16"], "seed": ["3"]}, "en")
    assert ignored == ("d",)
    assert (state.settings.d_model, state.settings.seed) == (3, 3)


def test_other_peoples_parameters_are_none_of_our_business() -> None:
    assert decode({"utm_source": ["mail"], "__proto__": ["x"], "": ["y"]}, "en") == (State(), ())


garbage: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.text(max_size=20) | st.from_regex(r"[-+0-9.,e]{0,12}"), max_size=3)
)


@given(garbage)
def test_no_address_is_an_exception(parameters: dict[str, list[str]]) -> None:
    state, ignored = decode(parameters, "en")
    encode(state)
    assert set(ignored) <= set(parameters)


def test_of_a_long_sentence_the_used_part_is_written() -> None:
    state = State(settings=replace(PRESETS["fruit"], text="word " * 5000))
    assert encode(state)["text"] == ("word " * 256).rstrip()
    assert too_long(state) == ()


def test_what_no_address_can_carry_is_named() -> None:
    long = "長" * 3000  # nine characters each in an address
    state = State(settings=replace(PRESETS["fruit"], text=f"{long}x"))
    if len(quote(encode(state).get("text", long))) > LINK_LIMIT:
        assert too_long(state) == ("text",)
    matrix = [[i * 0.37 + j * 0.011 for j in range(64)] for i in range(64)]
    state = State(settings=replace(PRESETS["fruit"], d_model=64, edits=Edits().with_values("w_q", matrix)))
    assert too_long(state) == ("edits",)
    assert "edits" not in encode(state)


def test_halves_of_surrogate_pairs_become_one_sign() -> None:
    assert clean("a\ud83db") == "a�b"
    assert clean("👍") == "👍"
    assert clean("\ud83d\udc4d") == "👍"


def test_a_row_and_a_head_come_back_with_the_sentence_that_has_them() -> None:
    long = State(settings=PRESETS["animal"], preset="animal", view=View(i=7, head=3))
    short = replace(long, settings=replace(PRESETS["animal"], text="one", heads=2))
    assert (tidy(short).view.i, tidy(short).view.head) == (0, 1)
    assert tidy(replace(short, settings=PRESETS["animal"])).view == long.view
