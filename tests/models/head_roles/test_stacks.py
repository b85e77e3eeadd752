"""Whole stacks: layers that differ, heads in portions, padding, several texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from models.head_roles import Tally, call_shares, finished, stack_tallies, stacks, tally, trace_tallies
from models.head_roles.measures import even_weights
from models.head_roles.stacks import call_places, call_tally
from models.pretrained import ModelTrace, load_model
from tests.models.pretrained import folders


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> ModelTrace:
    folder = folders.save(tmp_path_factory.mktemp("llama"), folders.llama())
    return load_model(folder).trace("one two, one two. one")


def same(a: Tally, b: Tally) -> bool:
    return a.counts == b.counts and all(torch.allclose(a.sums[name], b.sums[name]) for name in a.sums)


def test_one_tally_per_layer_with_even_attention_last(trace: ModelTrace) -> None:
    told: list[float] = []
    found = stack_tallies(trace.calls, trace.tokens, told.append)
    assert told == [0.5, 1.0]
    assert [len(layer.sums["itself"]) for layer in found] == [5, 5]
    call = trace.calls[1]
    places = call_places(call, trace.tokens)
    weights = torch.stack([*map(call.weights, range(call.heads)), even_weights(places)])
    assert same(found[1], tally(weights, places))
    assert "next" not in found[0].sums


def test_heads_in_portions_are_the_same(trace: ModelTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [
        call_tally(trace.calls[0], call_places(trace.calls[0], trace.tokens), aside=aside)
        for aside in (False, True)
    ]
    call = trace.calls[0]
    for portion in (1, 2 * call.queries * call.keys):
        monkeypatch.setattr(stacks, "AT_ONCE", portion)
        parts = [call_tally(call, call_places(call, trace.tokens), aside=aside) for aside in (False, True)]
        assert all(same(a, b) for a, b in zip(whole, parts, strict=True))


def test_two_texts_count_twice_as_much(trace: ModelTrace) -> None:
    def traces() -> Iterator[ModelTrace]:
        yield trace
        yield trace

    once, twice = trace_tallies([trace]), trace_tallies(traces())
    assert list(twice) == [("decoder", "self")]
    for single, double in zip(once["decoder", "self"], twice["decoder", "self"], strict=True):
        assert double.counts == {name: 2 * count for name, count in single.counts.items()}
        a, b = finished(single), finished(double)
        assert all(torch.allclose(a.values[name], b.values[name]) for name in a.values)


def test_the_shares_of_one_head(trace: ModelTrace) -> None:
    call = trace.calls[0]
    alone = call_shares(call, call.weights(2)[None], trace.tokens)
    layer = finished(call_tally(call, call_places(call, trace.tokens)))
    assert alone
    assert all(float(value) == pytest.approx(layer.value(name, 2)) for name, value in alone.items())


def test_padding_is_no_key(trace: ModelTrace) -> None:
    call = trace.calls[0]
    padded = torch.zeros(1, call.keys, dtype=torch.bool)
    padded[0, -1] = True
    seen: Tensor = call_places(call.with_labels((), (), padded), trace.tokens).seen
    assert not seen[:, -1].any()
    assert torch.equal(seen[:, :-1], call_places(call, trace.tokens).seen[:, :-1])


def test_layers_with_different_numbers_of_heads(tmp_path: Path) -> None:
    model = load_model(folders.save(tmp_path, folders.t5()))
    found = trace_tallies([model.trace("one two three")])
    assert {stack: len(layers) for stack, layers in found.items()} == {
        ("encoder", "self"): 2, ("decoder", "self"): 3, ("decoder", "cross"): 3
    }  # fmt: skip
