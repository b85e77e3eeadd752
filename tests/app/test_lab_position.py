"""The position laboratory: its numbers, its sentences, and the page in both languages."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch

from app.labs.position import position
from app.labs.small import small
from models.errors import InputError
from models.positioned import Scheme, bias
from models.positions import sinusoidal
from models.relative import relative_buckets
from tests.app.pages import go_to, healthy, open_page

SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi", "t5")
VIEWS = ("encoding", "sentence", "similarity")


def said(query: dict[str, str]) -> str:
    app = open_page("position", query)
    assert healthy(app)
    return "\n".join([*(text.value for text in app.text), *(caption.value for caption in app.caption)])


@pytest.mark.parametrize(("size", "base"), [(2, 1e4), (32, 1e4), (10, 20.0)])
def test_similarity_is_a_sum_of_cosines_of_the_distance(size: int, base: float) -> None:
    encoding = sinusoidal(80, size, base=base, dtype=torch.float64)
    for place in (0, 37):
        curve = position.similarity(encoding, place)
        turned = position.turned_similarity(80, size, base, place)
        for distance, value, other in zip(
            *map(torch.Tensor.tolist, (curve.distance, curve.value, turned.value)), strict=True
        ):
            closed = sum(math.cos(distance / base ** (2 * i / size)) for i in range(size // 2))
            assert value == pytest.approx(closed, abs=1e-10)
            assert other == pytest.approx(closed / (size / 2), abs=1e-10)


def test_with_an_odd_size_distance_does_not_decide() -> None:
    curves = [
        position.similarity(sinusoidal(40, 5, base=20.0, dtype=torch.float64), place) for place in (0, 20)
    ]
    assert position.furthest_apart(*curves) > 0.1
    even = [
        position.similarity(sinusoidal(40, 6, base=20.0, dtype=torch.float64), place) for place in (0, 20)
    ]
    assert position.furthest_apart(*even) < 1e-12


def test_curves_are_compared_where_both_have_distances() -> None:
    one = position.Curve(0, torch.tensor([0, 1, 2]), torch.tensor([1.0, 2, 3]))
    other = position.Curve(2, torch.tensor([-2, -1, 0]), torch.tensor([9.0, 9, 1.5]))
    assert position.furthest_apart(one, other) == 0.5
    assert position.furthest_apart(one, position.Curve(9, torch.tensor([-9]), torch.tensor([4.0]))) == 0


@pytest.mark.parametrize(
    "scheme", [Scheme("alibi"), Scheme("t5"), Scheme("t5", buckets=8, furthest=20, both_ways=False)]
)
def test_biases_over_distance_are_those_of_the_matrix(scheme: Scheme) -> None:
    whole = bias(scheme, 3, 12)
    assert whole is not None
    line = position.bias_over_distance(scheme, 3, 12)
    for i, j in product(range(12), repeat=2):
        assert torch.equal(line[:, 11 + j - i], whole[:, i, j])


def test_buckets_over_distance_are_those_of_the_matrix() -> None:
    scheme = Scheme("t5", buckets=16, furthest=50)
    whole = relative_buckets(30, buckets=16, furthest=50)
    line = position.buckets_over_distance(scheme, 30)
    assert all(line[29 + j - i] == whole[i, j] for i, j in product(range(30), repeat=2))
    assert position.used_buckets(scheme, 30) == len(whole.unique())
    bucket, value = position.table_value(scheme, 2, 1, -7)
    found = bias(scheme, 2, 8)
    assert found is not None
    assert bucket == whole[7, 0]
    assert value == float(found[1, 7, 0])


def test_a_long_encoding_is_drawn_in_steps() -> None:
    encoding = sinusoidal(4096, 512)
    part = position.sampled(encoding)
    assert part.values.shape == (1024, 256)
    assert torch.equal(part.values[3], encoding[12, ::2])


def test_buckets_need_room_for_far_distances() -> None:
    with pytest.raises(InputError, match="above 16"):
        position.checked(Scheme("t5", buckets=64, furthest=16))
    assert position.checked(Scheme("alibi", buckets=64, furthest=2)).name == "alibi"


def test_small_numbers() -> None:
    assert [small(v) for v in (0, 1.234, 0.0312, 1.7e-15, -2e-5)] == [
        "0",
        "1.23",
        "0.0312",
        "1.7 × 10⁻¹⁵",
        "−2.0 × 10⁻⁵",
    ]


@pytest.mark.parametrize(("scheme", "language"), list(product(SCHEMES, ("en", "zh"))))
def test_every_picture_in_both_languages(scheme: str, language: str) -> None:
    for view in VIEWS:
        app = open_page(
            "position", {"p_scheme": scheme, "p_view": view, "lang": language, "preset": "animal"}
        )
        assert healthy(app)
        assert app.text[-1].value
        assert len(app.get("bidi_component")) + len(app.get("plotly_chart")) > 2 - (scheme == "learned")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_token_one_dimension(scheme: str, view: str) -> None:
    query = {
        "text": "hi",
        "d": "1",
        "heads": "1",
        "p_d": "1",
        "p_length": "2",
        "p_scheme": scheme,
        "p_view": view,
    }
    assert healthy(open_page("position", query))


def test_the_sentences_have_the_numbers() -> None:
    animal = {"preset": "animal"}
    # the pair (4, 5) of 32 dimensions turns once in 2π · 10000^(4/32) positions
    assert f"{2 * math.pi * 10_000 ** (4 / 32):.1f} positions" in said(animal)
    assert "Where the sentence stands counts" in said({**animal, "p_view": "sentence", "p_shift": "100"})
    rotary = said({**animal, "p_view": "sentence", "p_shift": "4000", "p_scheme": "rotary"})
    assert "moved on by 4000" in rotary
    assert "Only the distance counts" in rotary
    assert "takes 0.25 off" in said({**animal, "p_scheme": "alibi"})
    assert "all 100 scores" in said({**animal, "p_scheme": "none"})
    assert "Take an even number" in said({**animal, "p_view": "similarity", "p_d": "7"})


def test_knobs_that_do_not_fit_are_answered_in_a_sentence() -> None:
    assert "must be above 64" in said({"p_scheme": "t5", "p_buckets": "256", "p_furthest": "20"})
    text = said(
        {"p_base": "nan", "p_length": "5000", "p_d": "x", "p_scheme": "dates", "p_shift": "-1", "p_both": "2"}
    )
    for name in ("p_base", "p_length", "p_d", "p_scheme", "p_shift", "p_both"):
        assert name in text


def test_a_table_that_was_not_fetched_is_not_made_up(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path))
    app = open_page("position", {"p_scheme": "learned"})
    assert healthy(app)
    assert any("none has been fetched yet" in text.value for text in app.text)


def test_knobs_reach_the_address_and_stay_on_other_pages() -> None:
    app = open_page("position", {"p_scheme": "rotary", "p_view": "similarity"})
    app.number_input(key="am.p_base").set_value(500.0).run()
    go_to(app, "heads")
    go_to(app, "position")
    assert app.number_input(key="am.p_base").value == 500
    assert app.query_params["p_base"] in ("500", ["500"])
    assert app.query_params["p_scheme"] in ("rotary", ["rotary"])
