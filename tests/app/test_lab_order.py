"""The order laboratory: permuted outputs, replaced words, and what the page says about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from app.labs.order import order
from components.token_order import parse_order, token_order, token_order_data
from models.build import build
from models.errors import InputError
from models.positioned import Scheme
from models.settings import PRESETS, Settings
from tests.app.pages import go_to, healthy, open_page

ANIMAL = replace(PRESETS["animal"], text="one two three four two")
COUNT = 5


def torch_outputs(settings: Settings) -> torch.Tensor:
    """All heads by torch's own attention."""
    trace = build(settings)
    x = trace["input"].value.double()
    q, k, v = (
        (x @ trace.parameters[w].double()).reshape(len(x), trace.heads, -1).transpose(0, 1)
        for w in ("w_q", "w_k", "w_v")
    )
    mixed = scaled_dot_product_attention(q, k, v, is_causal=settings.mask == "causal")
    return mixed.transpose(0, 1).flatten(1) @ trace.parameters["w_o"].double()


@given(permutation=st.permutations(range(COUNT)))
def test_without_positions_nothing_moves(permutation: list[int]) -> None:
    moved = order.shuffle(ANIMAL, build(ANIMAL), Scheme("none"), permutation)
    assert float(moved.far.max()) < 1e-13
    assert moved.count == 0
    assert not moved.sizes.any()


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("scheme", ["none", "sinusoidal"])
def test_outputs_are_those_of_torch_on_the_other_sentence(scheme: str, mask: str) -> None:
    settings = replace(ANIMAL, position=scheme, mask=mask)  # type: ignore[arg-type]
    permutation = (3, 0, 4, 2, 1)
    words = ANIMAL.text.split()
    moved = order.shuffle(settings, build(settings), Scheme(scheme), permutation)  # type: ignore[arg-type]
    other = torch_outputs(replace(settings, text=" ".join(words[i] for i in permutation)))
    torch.testing.assert_close(moved.before, torch_outputs(settings), rtol=1e-5, atol=1e-6)
    for place, index in enumerate(permutation):
        torch.testing.assert_close(moved.after[index], other[place], rtol=1e-5, atol=1e-6)


def test_padding_goes_along_with_its_token() -> None:
    settings = replace(ANIMAL, hidden=(1,))
    moved = order.shuffle(settings, build(settings), Scheme("none"), (4, 3, 2, 1, 0))
    assert moved.count == 0


def test_a_replaced_word_is_the_other_sentence() -> None:
    settings = replace(ANIMAL, position="sinusoidal")
    moved = order.replace_word(settings, build(settings), Scheme("sinusoidal"), 2, "nine")
    torch.testing.assert_close(
        moved.after, torch_outputs(replace(settings, text="one two nine four two")), rtol=1e-5, atol=1e-6
    )
    assert moved.count == COUNT


def test_a_causal_mask_keeps_earlier_outputs_exactly() -> None:
    settings = replace(ANIMAL, mask="causal")
    moved = order.replace_word(settings, build(settings), Scheme("rotary"), 3, "nine")
    assert moved.far[:3].tolist() == [0, 0, 0]
    assert (moved.far[3:] > 0.01).all()


@given(permutation=st.permutations(range(7)))
def test_orders_in_addresses(permutation: list[int]) -> None:
    assert order.read_order(order.write_order(permutation), 7) == tuple(permutation)
    assert order.read_order(order.write_order(permutation), 6) is None


@pytest.mark.parametrize("text", ["", "0,1,1", "0,1,3", "-1,0,1", "0,1,x", "²,0,1", "99999999999,1,2"])
def test_what_is_no_order(text: str) -> None:
    assert order.read_order(text, 3) is None


def test_a_random_order_is_another_one() -> None:
    assert order.shuffled(1, 3) == (0,)
    for seed in range(20):
        assert order.shuffled(2, seed) == (1, 0)
        assert sorted(order.shuffled(9, seed)) == list(range(9))
    assert order.shuffled(9, 5) == order.shuffled(9, 5)


@pytest.mark.parametrize("word", ["", "two words", "?? !", "a\nb"])
def test_only_one_token_can_be_put_in(word: str) -> None:
    with pytest.raises(InputError):
        order.one_token(word)
    assert order.one_token("apples").text == "apples"


@pytest.mark.parametrize("payload", [None, "0,1", [0], [0, 0], [0, 2], [True, 0], [0.5, 1], {"0": 1}])
def test_an_order_from_the_browser(payload: object) -> None:
    assert parse_order(payload, 2) is None
    assert parse_order([1.0, 0], 2) == (1, 0)
    with pytest.raises(ValueError, match="2 tokens"):
        token_order(token_order_data(["a", "b"], np.array([0, 0]).tolist(), text={}), key="o")


# ---- the page ------------------------------------------------------------------------------------------------------


def said(query: dict[str, str]) -> str:
    app = open_page("order", query)
    assert healthy(app)
    return "\n".join([*(text.value for text in app.text), *(caption.value for caption in app.caption)])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("task", ["shuffle", "replace"])
@pytest.mark.parametrize("scheme", order.SCHEMES)
def test_every_picture_in_both_languages(scheme: str, task: str, language: str) -> None:
    app = open_page("order", {"o_scheme": scheme, "o_task": task, "lang": language, "preset": "nlp"})
    assert healthy(app)
    assert len(app.get("bidi_component")) >= (3 if scheme == "none" else 4)


def test_the_sentences_are_true() -> None:
    animal = {"preset": "animal"}
    text = said(animal)
    assert "which is rounding" in text
    assert "10 of 10 outputs moved" in text
    assert "A mask tells the order, too" in said({**animal, "mask": "causal", "o_scheme": "none"})
    back = ",".join(map(str, range(9, -1, -1)))
    assert "turned round" in said({**animal, "o_scheme": "alibi", "o_order": back})
    assert "own order" in said({**animal, "o_order": ",".join(map(str, range(10)))})
    causal = said({**animal, "mask": "causal", "o_task": "replace", "o_token": "8", "o_word": "is"})
    assert "was became is: 2 of 10 outputs moved" in causal
    assert "and 2 more" in causal
    assert "hidden as padding" in said({**animal, "hide": "8", "o_task": "replace", "o_token": "8"})


def test_bad_knobs_are_answered_in_a_sentence() -> None:
    assert "received 2 tokens" in said({"o_task": "replace", "o_word": "two words"})
    assert "not one of these 3 tokens" in said({"o_order": "0,0,0"})
    text = said({"o_scheme": "x", "o_token": "-3", "o_task": "?", "o_word": "w" * 99})
    assert all(name in text for name in ("o_scheme", "o_token", "o_task", "o_word"))


def test_tokens_are_shown_as_they_are() -> None:
    assert "$ became" in said({"text": "$ $x$ <script> :red[x]", "o_task": "replace", "o_token": "0"})
    assert healthy(open_page("order", {"text": "alone", "o_task": "replace", "o_token": "200"}))


def test_buttons_put_tokens_in_order() -> None:
    app = open_page("order", {"preset": "nlp"})
    app.button(key="am.order.reverse").click().run()
    assert app.query_params["o_order"] in ("2,1,0", ["2,1,0"])
    app.button(key="am.order.restore").click().run()
    assert any("own order" in text.value for text in app.text)
    app.button(key="am.order.shuffle").click().run()
    assert any("which is rounding" in text.value for text in app.text)
    go_to(app, "position")
    go_to(app, "order")
    assert healthy(app)


@given(permutation=st.permutations(range(4)))
def test_without_positions_outputs_are_permuted(permutation: list[int]) -> None:
    """Y′ = P·Y, and P is the permutation itself; with positions no output is one of the old ones."""
    settings = replace(ANIMAL, text="one two three four")
    trace = build(settings)
    moved = order.shuffle(settings, trace, Scheme("none"), permutation)
    same = order.same_vectors(moved, permutation)
    assert torch.equal(same, torch.eye(4, dtype=torch.float64)[list(permutation)])
    after = moved.after[list(permutation)]
    torch.testing.assert_close(same @ moved.before, after, rtol=1e-9, atol=1e-12)
    placed = order.shuffle(settings, trace, Scheme("sinusoidal"), permutation)
    found = order.same_vectors(placed, permutation)
    assert int(found.sum()) == (4 if permutation == [0, 1, 2, 3] else 0)


def test_a_word_that_occurs_twice_has_one_output() -> None:
    moved = order.shuffle(ANIMAL, build(ANIMAL), Scheme("none"), range(COUNT))
    same = order.same_vectors(moved, range(COUNT))
    assert same[1].tolist() == same[4].tolist() == [0, 1, 0, 0, 1]


def test_a_causal_mask_lets_the_first_output_stay_where_its_token_stays() -> None:
    settings = replace(ANIMAL, mask="causal", text="one two three four")
    moved = order.shuffle(settings, build(settings), Scheme("none"), (0, 3, 1, 2))
    assert order.same_vectors(moved, (0, 3, 1, 2)).nonzero().tolist() == [[0, 0]]
