"""Attention under every positional scheme, against a naive loop and against what is true on paper."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from models.build import build
from models.masks import causal
from models.positioned import Scheme, SchemeName, attend, bias, permuted, turned
from models.relative import alibi_slopes
from models.settings import PRESETS
from models.trace import Trace

TRACE = build(replace(PRESETS["animal"], position="none"))
EMBEDDING = TRACE["embedding"].value
NAMES: list[SchemeName] = ["none", "sinusoidal", "rotary", "alibi", "t5"]


def naive_scores(
    trace: Trace, x: list[list[float]], turn: bool, base: float, start: int
) -> list[list[float]]:
    """Head 0 in plain Python: projections, rotation by complex numbers, scaled products."""

    def projected(row: list[float], w: Tensor) -> list[float]:
        return [sum(row[d] * float(w[d, c]) for d in range(len(row))) for c in range(trace.d_k)]

    def rotated(v: list[float], place: int) -> list[float]:
        out: list[float] = []
        for i in range(len(v) // 2):
            angle = place / base ** (2 * i / len(v))
            z = complex(v[2 * i], v[2 * i + 1]) * complex(math.cos(angle), math.sin(angle))
            out += [z.real, z.imag]
        return out

    q, k = ([projected(row, trace.parameters[w]) for row in x] for w in ("w_q", "w_k"))
    if turn:
        q, k = ([rotated(v, start + place) for place, v in enumerate(vectors)] for vectors in (q, k))
    return [[sum(a * b for a, b in zip(u, v, strict=True)) / math.sqrt(len(u)) for v in k] for u in q]


@pytest.mark.parametrize(
    ("name", "base", "start"), [("none", 1e4, 0), ("rotary", 1e4, 0), ("rotary", 50.0, 30)]
)
def test_scores_equal_a_naive_loop(name: SchemeName, base: float, start: int) -> None:
    found = attend(EMBEDDING, TRACE, Scheme(name, base=base, start=start)).scores[0]
    rows = EMBEDDING.double().tolist()
    assert found.tolist() == [
        pytest.approx(r, abs=1e-12) for r in naive_scores(TRACE, rows, name == "rotary", base, start)
    ]


def test_sinusoidal_vectors_are_added_at_their_places() -> None:
    found = attend(EMBEDDING, TRACE, Scheme("sinusoidal", base=100.0, start=5)).scores[0]
    d = EMBEDDING.shape[1]
    rows = [
        [
            value + (math.sin if c % 2 == 0 else math.cos)((p + 5) / 100 ** (2 * (c // 2) / d))
            for c, value in enumerate(row)
        ]
        for p, row in enumerate(EMBEDDING.double().tolist())
    ]
    assert found.tolist() == [pytest.approx(r, abs=1e-12) for r in naive_scores(TRACE, rows, False, 1, 0)]


def test_no_scheme_and_the_sinusoidal_one_are_what_the_stage_shows() -> None:
    for name in ("none", "sinusoidal"):
        trace = build(replace(PRESETS["animal"], position=name, mask="causal"))
        found = attend(trace["embedding"].value, trace, Scheme(name), causal=causal(len(EMBEDDING)))
        torch.testing.assert_close(found.weights.float(), trace["weights"].value, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(found.output.float(), trace["output"].value, rtol=1e-5, atol=1e-5)


@given(shift=st.integers(0, 4000), base=st.floats(2, 1e6), size=st.integers(2, 9))
def test_moving_all_positions_leaves_rotary_scores(shift: int, base: float, size: int) -> None:
    trace = build(replace(PRESETS["nlp"], d_k=size, position="none"))
    here, there = (
        attend(trace["embedding"].value, trace, Scheme("rotary", base=base, start=s)) for s in (0, shift)
    )
    torch.testing.assert_close(here.scores, there.scores, rtol=0, atol=1e-9)


def test_moving_all_positions_changes_sinusoidal_scores() -> None:
    here, there = (attend(EMBEDDING, TRACE, Scheme("sinusoidal", start=s)).scores for s in (0, 50))
    assert float((here - there).abs().max()) > 0.1


@given(order=st.permutations(range(len(EMBEDDING))))
def test_without_positions_outputs_are_permuted_with_the_tokens(order: list[int]) -> None:
    plain = attend(EMBEDDING, TRACE, Scheme("none")).output
    shuffled = attend(permuted(EMBEDDING, order), TRACE, Scheme("none")).output
    torch.testing.assert_close(shuffled, permuted(plain, order), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", NAMES[1:])
def test_with_positions_they_are_not(name: SchemeName) -> None:
    order = list(range(len(EMBEDDING)))[::-1]
    # a bias that is the same both ways does not notice that a sentence is turned round
    order[0], order[1] = order[1], order[0]
    plain = attend(EMBEDDING, TRACE, Scheme(name)).output
    shuffled = attend(permuted(EMBEDDING, order), TRACE, Scheme(name)).output
    assert float((shuffled - permuted(plain, order)).norm(dim=-1).max()) > 0.01


def test_alibi_alone_does_not_notice_a_sentence_turned_round() -> None:
    order = list(range(len(EMBEDDING)))[::-1]
    plain = attend(EMBEDDING, TRACE, Scheme("alibi")).output
    shuffled = attend(permuted(EMBEDDING, order), TRACE, Scheme("alibi")).output
    torch.testing.assert_close(shuffled, permuted(plain, order), rtol=0, atol=1e-13)


def test_biases_are_added_after_scaling() -> None:
    plain = attend(EMBEDDING, TRACE, Scheme("none")).scores
    biased = attend(EMBEDDING, TRACE, Scheme("alibi")).scores
    slopes = alibi_slopes(TRACE.heads)
    for h, i, j in ((0, 3, 7), (2, 9, 0), (3, 4, 4)):
        assert float(biased[h, i, j] - plain[h, i, j]) == pytest.approx(
            -float(slopes[h]) * abs(i - j), abs=1e-12
        )


def test_padding_and_causality_are_obeyed() -> None:
    padded = torch.zeros(len(EMBEDDING), dtype=torch.bool)
    padded[4] = True
    found = attend(EMBEDDING, TRACE, Scheme("rotary"), causal=causal(len(EMBEDDING)), padded=padded).weights
    assert not found[:, :, 4].any()
    assert not found.triu(1).any()


def test_the_last_of_an_odd_number_of_dimensions_stays() -> None:
    v = torch.randn(4, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    there = turned(v, torch.arange(4))
    assert torch.equal(there[:, 4], v[:, 4])
    torch.testing.assert_close(there.norm(dim=-1), v.norm(dim=-1))
    assert torch.equal(turned(v[:, :1], torch.arange(4)), v[:, :1])


def test_only_two_schemes_have_a_bias() -> None:
    assert [name for name in NAMES if bias(Scheme(name), 2, 3) is not None] == ["alibi", "t5"]
