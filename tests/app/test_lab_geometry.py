"""The geometry laboratory: stretching against torch, and the page in both languages."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import torch

from app.labs.geometry.geometry import Looked, entropy
from models.build import build
from models.settings import PRESETS
from tests.app.pages import go_to, healthy, open_page

TRACE = build(PRESETS["animal"])
SOURCES = ("free", "pair", "keys")


def by_torch(query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return torch.softmax(keys @ query / keys.shape[1] ** 0.5, dim=0)


def test_products_are_the_scores_of_the_stage() -> None:
    looked = Looked(TRACE, 2, 7, 1)
    for found, score in zip(looked.products, TRACE["scores"].value[2, 7].tolist(), strict=True):
        assert found.dot == pytest.approx(score, abs=1e-5)
    torch.testing.assert_close(looked.weights.float(), TRACE["weights"].value[2, 7], rtol=1e-5, atol=1e-6)


def test_stretching_a_query_multiplies_every_score_and_turns_nothing() -> None:
    plain, long = Looked(TRACE, 0, 3, 5), Looked(TRACE, 0, 3, 5, 3.0, "query")
    for before, after in zip(plain.products, long.products, strict=True):
        assert after.dot == pytest.approx(3 * before.dot)
        assert after.cosine == pytest.approx(before.cosine)
    torch.testing.assert_close(long.stretched_weights, by_torch(3 * plain.query, plain.keys))
    assert entropy(long.stretched_weights) < entropy(plain.weights)


def test_stretching_a_key_multiplies_its_own_score() -> None:
    plain, long = Looked(TRACE, 0, 3, 5), Looked(TRACE, 0, 3, 5, 2.0, "key")
    keys = plain.keys.clone()
    keys[5] *= 2
    torch.testing.assert_close(long.stretched_weights, by_torch(plain.query, keys))
    changed = [a.dot != b.dot for a, b in zip(plain.products, long.products, strict=True)]
    assert changed == [index == 5 for index in range(len(changed))]


def test_the_mask_is_obeyed() -> None:
    trace = build(replace(PRESETS["animal"], mask="causal", hidden=(0,)))
    assert not Looked(trace, 0, 0, 0).weights.any()
    weights = Looked(trace, 1, 4, 0, 4.0).stretched_weights
    assert not weights[5:].any()
    assert weights[0] == 0
    assert float(weights.sum()) == pytest.approx(1)


def test_entropy_of_even_weights() -> None:
    assert entropy(torch.full((8,), 1 / 8)) == pytest.approx(2.0794415)
    assert entropy(torch.tensor([1.0, 0.0])) == 0


def said(query: dict[str, str]) -> str:
    app = open_page("geometry", query)
    assert healthy(app)
    return "\n".join(text.value for text in app.text)


@pytest.mark.parametrize(
    ("source", "language", "what"), list(product(SOURCES, ("en", "zh"), ("query", "key")))
)
def test_every_picture_in_both_languages(source: str, language: str, what: str) -> None:
    for factor in ("1", "2.5"):
        query = {"g_source": source, "lang": language, "g_what": what, "g_factor": factor, "preset": "animal"}
        app = open_page("geometry", query)
        assert healthy(app)
        assert app.text[-1].value


def test_the_sentences_have_the_numbers() -> None:
    assert "(90" not in said({"g_qx": "1", "g_qy": "0", "g_kx": "0", "g_ky": "2"})
    assert "right angle" in said({"g_qx": "1", "g_qy": "0", "g_kx": "0", "g_ky": "2"})
    assert "against each other (180°)" in said({"g_qx": "1", "g_qy": "0", "g_kx": "-2", "g_ky": "0"})
    assert "no length" in said({"g_qx": "0", "g_qy": "0"})
    # 喜欢·苹果 of the worked example: 0.4 · 0.7 + 0.5 · 0.8 + 0.6 · 0.9 = 1.22
    assert "1.22" in said({"g_source": "pair"})
    assert "wins by its length: 1.39 against 0.88" in said({"g_source": "keys"})
    assert "may look at no key" in said({"g_source": "keys", "hide": "0,1,2"})


@pytest.mark.parametrize("source", SOURCES)
def test_one_token_one_dimension(source: str) -> None:
    assert healthy(
        open_page("geometry", {"text": "hi", "d": "1", "heads": "1", "g_source": source, "i": "0"})
    )


def test_bad_knobs_are_answered_in_a_sentence() -> None:
    text = said({"g_qx": "5", "g_ky": "nan", "g_source": "x", "g_factor": "0", "g_what": "1"})
    assert all(name in text for name in ("g_qx", "g_ky", "g_source", "g_factor", "g_what"))


def test_k_is_turned_and_its_length_stays() -> None:
    app = open_page("geometry", {"g_qx": "3", "g_qy": "0", "g_kx": "0", "g_ky": "2"})
    app.button(key="am.geometry.turn_180").click().run()
    assert app.number_input(key="am.g_kx").value == -2
    assert app.number_input(key="am.g_ky").value == 0
    go_to(app, "order")
    go_to(app, "geometry")
    assert app.number_input(key="am.g_kx").value == -2


def test_query_and_key_are_chosen() -> None:
    app = open_page("geometry", {"preset": "animal", "g_source": "pair"})
    app.selectbox[0].set_value(7).run()
    assert app.query_params["i"] in ("7", ["7"])
    assert any("score that it gives to didn't" in text.value for text in app.text)
