"""Which places of attention a model has, and what its cross-attention says, without a page."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from app.model_view import ModelView
from app.trained.translate.alignment import alignment, clearest, coverage, strongest_link
from app.trained.translate.translate import norm_of, places_of, stack_of, weights_of
from models.pretrained import load_model
from tests.models.pretrained.folders import bert, llama, marian, save, t5

BUILT = {
    "t5": (t5, ["encoder", "decoder", "cross"], "pre", False),
    "marian": (marian, ["encoder", "decoder", "cross"], "post", True),
    "bert": (bert, ["encoder"], "post", True),
    "llama": (llama, ["decoder"], "pre", False),
}


@pytest.mark.parametrize("name", BUILT)
def test_the_places_of_a_folder(name: str, tmp_path: Path) -> None:
    build, roles, norm, added = BUILT[name]
    model: Any = load_model(save(tmp_path, build()))
    trace = model.trace("the cat sat on the mat")
    places = places_of(trace.calls, model.module, model.info.positions)
    assert list(places.stacks) == roles
    assert (places.norm, places.added_positions) == (norm, added)
    assert places.alone == (len(roles) == 1)
    assert not places.recurrent
    for role in places.stacks:
        assert places.role_of(places.stacks[role]) == role
    assert places.role_of(("vision", "self")) is None


def test_the_translator_has_a_recurrent_unit() -> None:
    model = load_model("en-pt")
    trace = model.trace("I bought a red car in Lisbon last year.")
    places = places_of(trace.calls, model.module, model.info.positions)
    assert list(places.stacks) == ["encoder", "cross"]
    assert (places.norm, places.recurrent, places.decoder) == ("post", True, True)


def test_the_translator_aligns_words() -> None:
    """FACTS: the last layer's head 0 looks at the source word that is being written."""
    model = load_model("en-pt")
    trace = model.trace("I bought a red car in Lisbon last year.")
    call = trace.layer(1, "decoder", "cross")
    pairs = alignment(
        call.weights(0),
        trace.following or (),
        trace.tokens["encoder"].labels,
        trace.tokens["encoder"].special,
    )
    found = {(pair.written.strip("␣"), pair.source.strip("␣")): pair.weight for pair in pairs}
    assert found[("carro", "car")] == pytest.approx(0.96, abs=0.02)
    assert ("vermelho", "red") in found
    assert [pair.row for pair in pairs] == sorted(pair.row for pair in pairs)


@pytest.mark.parametrize(
    ("config", "norm"),
    [
        (SimpleNamespace(model_type="bert"), "post"),
        (SimpleNamespace(model_type="gpt2"), "pre"),
        (SimpleNamespace(model_type="opt", do_layer_norm_before=False), "post"),
        (SimpleNamespace(model_type="bart", normalize_before=True), "pre"),
        (SimpleNamespace(), "pre"),
        (None, "pre"),
    ],
)
def test_where_the_norm_stands(config: Any, norm: str) -> None:
    assert norm_of(config) == norm


def test_an_alignment_by_hand() -> None:
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.1, 0.9], [0.4, 0.35, 0.25]])
    pairs = alignment(weights, ["eins", "zwei", "Ende", "."], ["one", "two", "</s>"], [False, False, True])
    assert [(pair.written, pair.source, pair.row, pair.col) for pair in pairs] == [
        ("eins", "one", 0, 0),
        ("zwei", "two", 1, 1),
    ]  # the special key and the full stop are passed over
    assert [round(pair.weight, 3) for pair in pairs] == [0.9, 0.7]
    only_marks = alignment(weights[3:], ["."], ["one", "two", "</s>"])
    assert [(pair.written, pair.source) for pair in only_marks] == [(".", "one")]


def test_an_alignment_of_what_is_not_a_number_is_empty() -> None:
    assert alignment(torch.full((2, 2), math.nan), ["a", "b"], ["c", "d"]) == []
    assert alignment(torch.zeros(2, 2), ["a", "b"], ["c", "d"]) == []
    assert alignment(torch.ones(0, 2), ["a", "b"], ["c", "d"]) == []


def test_the_strongest_link_leaves_sinks_aside() -> None:
    weights = torch.tensor([[1.0, 0, 0, 0], [0.9, 0.1, 0, 0], [0.5, 0.2, 0.3, 0], [0.1, 0.1, 0.2, 0.6]])
    assert strongest_link(weights) == (2, 1, pytest.approx(0.2))
    assert strongest_link(weights, [True, True, False, False]) == (3, 2, pytest.approx(0.2))
    assert strongest_link(torch.ones(1, 1)) is None
    assert strongest_link(torch.full((3, 3), math.nan)) is None


def test_coverage_by_hand() -> None:
    perfect, one, even = torch.eye(4), torch.zeros(4, 4), torch.full((4, 4), 0.25)
    one[:, 1] = 1
    found = coverage(torch.stack([perfect, one, even]))
    assert found.tolist() == [1, 0.25, 0.25]
    assert coverage(torch.stack([one]), [False, True, False, False]).tolist() == [0]
    assert coverage(torch.ones(2, 0, 3)).tolist() == [0, 0]
    assert coverage(torch.ones(2, 3, 1), [True]).tolist() == [0, 0]


def test_the_translators_clearest_head() -> None:
    """As FACTS have it: of 2 × 8 heads it is the last layer's head 0 that aligns words."""
    trace = load_model("en-pt").trace("I bought a red car in Lisbon last year.")
    calls = [call for call in trace.calls if call.kind == "cross"]
    layer, head, score = clearest(calls, trace.tokens["encoder"].special)
    assert (layer, head) == (1, 0)
    assert score > 0.8


def test_the_mean_over_heads(tmp_path: Path) -> None:
    model: Any = load_model(save(tmp_path, t5()))
    calls = model.trace("the cat sat on the mat").calls
    stack = stack_of(calls, ("decoder", "cross"), ModelView(layer=99, head=99))
    assert (stack.layer, stack.head) == (2, 3)
    heads = torch.stack([stack.call.weights(head) for head in range(4)])
    torch.testing.assert_close(weights_of(stack, True), heads.mean(0))
    torch.testing.assert_close(weights_of(stack, False), heads[3])
