"""Masks on a layer, rows that lost everything, and the reason for the causal mask."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from models.build import build
from models.masked import MaskChoice, kind_of, lost_row, module_attention, moved, under_mask
from models.settings import PRESETS

ANIMAL = PRESETS["animal"]
choices = some.builds(
    MaskChoice,
    causal=some.booleans(),
    window=some.integers(0, 9),
    prefix=some.integers(0, 9),
    hidden=some.lists(some.integers(0, 9), max_size=3).map(tuple),
    blocked=some.frozensets(some.tuples(some.integers(0, 9), some.integers(0, 9)), max_size=5),
    closed=some.frozensets(some.integers(0, 9), max_size=2),
)


@given(choices, some.integers(1, 8))
def test_a_cell_is_visible_if_every_mask_allows_it(choice: MaskChoice, tokens: int) -> None:
    found = choice.visible(tokens)
    for i in range(tokens):
        for j in range(tokens):
            allowed = (
                (not choice.causal or j <= i)
                and (not choice.window or abs(i - j) < choice.window)
                and (not choice.prefix or j < choice.prefix or j <= i)
                and j not in choice.hidden
                and (i, j) not in choice.blocked
                and i not in choice.closed
            )
            assert bool(found[i, j]) == allowed


@given(choices)
def test_the_layer_agrees_with_torch(choice: MaskChoice) -> None:
    trace = build(ANIMAL)
    result = under_mask(trace, choice.visible(10))
    query, key, value = (trace[name].value.double() for name in ("query", "key", "value"))
    heads = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=result.mask)
    heads[:, list(result.lost)] = 0
    expected = heads.transpose(0, 1).flatten(1) @ trace.parameters["w_o"].double()
    torch.testing.assert_close(result.output, expected, rtol=1e-5, atol=1e-5)
    assert set(result.lost) == {i for i in range(10) if not result.mask[i].any()}
    sums = result.weights.sum(-1)
    assert all(float(sums[0, i]) == pytest.approx(0 if i in result.lost else 1) for i in range(10))


def test_the_mask_of_the_settings_gives_the_trace_s_own_output() -> None:
    trace = build(replace(ANIMAL, mask="causal", hidden=(2, 5)))
    result = under_mask(trace, MaskChoice(causal=True, hidden=(2, 5)).visible(10))
    torch.testing.assert_close(result.output.float(), trace["output"].value, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(result.weights.float(), trace["weights"].value)


def test_what_implementations_do_with_a_lost_row() -> None:
    trace = build(ANIMAL)
    mask = MaskChoice(causal=True, hidden=(0,)).visible(10)
    found = lost_row(trace["query"].value[0], trace["key"].value[0], mask, 0)
    assert found["engine"].tolist() == [0] * 10
    assert found["infinite"].isnan().all()
    assert found["large"].tolist() == pytest.approx([0.1] * 10)
    assert {name: kind_of(weights) for name, weights in found.items()} == {
        "engine": "zero",
        "infinite": "nan",
        "large": "even",
        "fused": "zero",  # PyTorch since 2.5
        "module": "nan",
        "module_fast": "zero",
    }


def test_where_a_key_is_left_all_implementations_agree() -> None:
    """Also the check that the identity values and the wider module ask each implementation the same question."""
    for name, settings in PRESETS.items():
        trace = build(settings)
        tokens = len(trace.labels("query"))
        found = lost_row(
            trace["query"].value[0], trace["key"].value[0], MaskChoice(causal=True).visible(tokens), 1
        )
        for weights in found.values():
            torch.testing.assert_close(weights, trace_row(trace), rtol=1e-4, atol=1e-5, msg=name)


def trace_row(trace: object) -> torch.Tensor:
    scaled = trace["scaled"].value[0, 1].clone()  # type: ignore[index]
    scaled[2:] = -torch.inf
    return torch.softmax(scaled, -1)


@pytest.mark.parametrize("need_weights", [True, False])
def test_the_module_s_width_does_not_matter(need_weights: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(5, size, generator=generator) for size in (7, 7))
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    expected = torch.softmax((query @ key.T / 7**0.5).masked_fill(~mask, -torch.inf), -1)
    torch.testing.assert_close(module_attention(query, key, mask, need_weights=need_weights), expected)


@pytest.mark.parametrize("position", ["none", "sinusoidal"])
def test_a_causal_mask_keeps_earlier_outputs_when_a_token_is_added(position: str) -> None:
    settings = replace(ANIMAL, position=position)
    before, after = (
        build(replace(settings, text=text)) for text in (settings.text, settings.text + " again")
    )
    for choice, stays in (
        (MaskChoice(causal=True), True),
        (MaskChoice(causal=True, window=3, hidden=(1,)), True),
        (MaskChoice(prefix=2), True),  # the added token is not in the prefix
        (MaskChoice(), False),
    ):
        distances = moved(*(under_mask(trace, choice.visible(n)) for trace, n in ((before, 10), (after, 11))))
        assert distances.shape == (10,)
        assert bool((distances < 1e-12).all()) if stays else bool((distances > 1e-3).all())
