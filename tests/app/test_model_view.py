"""What the pages of trained models look at, without a page."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.model_view import EXAMPLES, LINKS_KEPT, PARTS, READ_ALONE, STREAMS, ModelView, with_model
from app.url import State, decode, encode
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.own import OWN_MODELS

text = some.text(max_size=60)
views = some.builds(
    ModelView,
    model=some.sampled_from(["minilm", "smollm2", "en-pt", "/models/own", "someone/model"]),
    text=text.map(lambda t: t.encode("utf-16", "surrogatepass").decode("utf-16", "replace")),
    stream=some.sampled_from(STREAMS),
    kind=some.sampled_from(["self", "cross"]),
    layer=some.integers(0, 999),
    head=some.integers(0, 999),
    i=some.integers(0, 9_999),
    j=some.integers(0, 9_999),
    words=some.booleans(),
    special=some.booleans(),
    sink=some.booleans(),
    part=some.sampled_from(PARTS),
    kept=some.sampled_from(LINKS_KEPT),
)


def test_every_ready_model_has_an_example_of_its_own() -> None:
    assert set(EXAMPLES) == {*READY_MODELS, *OWN_MODELS}
    assert all(name == view.model for name, view in EXAMPLES.items())


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_without_a_text_of_ones_own_a_model_opens_at_its_example(name: str) -> None:
    assert with_model(ModelView(), name) == EXAMPLES[name]
    assert with_model(replace(ModelView(), text=" \n"), name) == EXAMPLES[name]


def test_ones_own_text_goes_along_and_a_second_sentence_where_it_can_be_read() -> None:
    mine = replace(ModelView(), text="mine", pair="second", layer=5, head=11)
    for name in (*READY_MODELS, "/models/own"):
        opened = with_model(mine, name)
        assert (opened.model, opened.text) == (name, "mine")
        assert opened.pair == ("" if name in READ_ALONE else "second")
    unknown = with_model(mine, "/models/own")
    assert (unknown.layer, unknown.head) == (0, 0)  # it may have no more


def test_how_it_is_shown_stays_the_same() -> None:
    chosen = replace(ModelView(), words=True, special=False, sink=True)
    for name in READY_MODELS:
        opened = with_model(chosen, name)
        assert (opened.words, opened.special, opened.sink) == (True, False, True)


@given(views)
def test_an_address_brings_every_view_back(view: ModelView) -> None:
    parameters = {name: [value] for name, value in encode(State(model=view)).items()}
    state, ignored = decode(parameters, "en")
    assert ignored == ()
    assert state.model == view


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layer", "-1"), ("layer", "1000"), ("mhead", "x"), ("mi", str(10**9)), ("mj", "1e3"), ("stream", "x"),
        ("kind", "both"), ("part", "ac"), ("kept", "2"), ("words", "yes"), ("model", ""),
        ("model", "a\nb"), ("model", "m" * 301),
    ],
)  # fmt: skip
def test_hostile_parameters_are_left_out_and_named(name: str, value: str) -> None:
    state, ignored = decode({name: [value], "mtext": ["kept"]}, "en")
    assert ignored == (name,)
    assert state.model == ModelView(text="kept")


def test_all_fields_have_a_place_in_the_address() -> None:
    changed = ModelView(
        "some/model", "a", "b", "c", "decoder", "cross", 1, 2, 3, 4, True, False, True, "ab", 3
    )
    assert all(getattr(changed, f.name) != getattr(ModelView(), f.name) for f in fields(ModelView))
    assert len(encode(State(model=changed))) == len(fields(ModelView))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_address_with_a_model_alone_opens_its_example(name: str) -> None:
    state, _ = decode({"model": [name]}, "en")
    assert state.model == EXAMPLES[name]
    assert set(encode(state)) == ({"model"} if name != ModelView().model else set())
