"""The invariant the project stands on: every cell's explanation evaluates to that cell."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.attention import MultiHeadAttention
from models.explain import explain
from models.explain.terms import Explanation
from models.masks import causal
from models.positions import sinusoidal
from models.tokenizer import tokenize
from models.trace import Trace
from tests.models.oracles import assert_explains

TEXT = "The animal didn't cross the street"


def make_trace(
    *,
    text: str = TEXT,
    d_model: int = 8,
    heads: int = 2,
    d_k: int | None = None,
    d_v: int | None = None,
    mask: bool = False,
    hidden: tuple[int, ...] = (),
    temperature: float = 1.0,
    context: str | None = None,
    position: bool = True,
    seed: int = 0,
    gain: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Trace:
    tokens = tokenize(text)
    generator = torch.Generator().manual_seed(seed)
    module = MultiHeadAttention(d_model, heads, d_k=d_k, d_v=d_v, seed=seed).to(dtype)
    embedding = gain * torch.randn(len(tokens), d_model, generator=generator, dtype=dtype)
    encoding = sinusoidal(len(tokens), d_model, dtype=dtype) if position else None
    other = tokenize(context) if context is not None else None
    source = None if other is None else torch.randn(len(other), d_model, generator=generator, dtype=dtype)
    keys = len(tokens if other is None else other)
    padded = torch.tensor([j in hidden for j in range(keys)]) if hidden else None
    return module.trace(
        embedding if encoding is None else embedding + encoding, source,
        causal(len(tokens), keys) if mask else None, tokens, context_tokens=other, embedding=embedding,
        position=encoding, padded=padded, temperature=temperature,
    )  # fmt: skip


def all_cells(trace: Trace) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (step.name, index)
        for step in trace.steps
        for index in itertools.product(*(range(size) for size in step.value.shape))
    ]


TRACES = {
    "self": {},
    "causal": {"mask": True},
    "padding": {"hidden": (0, 3)},
    "causal, first token hidden": {"mask": True, "hidden": (0,)},
    "no positions": {"position": False},
    "temperature": {"temperature": 0.3},
    "K ≠ V": {"d_k": 3, "d_v": 5},
    "cross": {"context": "我喜欢苹果", "mask": True},
    "one token": {"text": "one", "d_model": 1, "heads": 1},
    "odd width": {"d_model": 7, "heads": 1},
    "large numbers": {"gain": 1e4},
    "overflow": {"gain": 1e30},
    "float64": {"dtype": torch.float64},
}


@pytest.mark.parametrize("name", TRACES)
def test_every_cell_of_every_step(name: str) -> None:
    trace = make_trace(**TRACES[name])  # type: ignore[arg-type]
    for step, index in all_cells(trace):
        assert_explains(trace, step, index)


@settings(max_examples=40)
@given(
    data=st.data(),
    heads=st.integers(1, 4),
    d_k=st.integers(1, 9),
    d_v=st.integers(1, 9),
    d_model=st.integers(1, 24),
    mask=st.booleans(),
    hidden=st.sets(st.integers(0, 5)),
    temperature=st.floats(0.05, 10),
    seed=st.integers(0, 999),
)
def test_any_cell_of_any_trace(
    data: st.DataObject, temperature: float, hidden: set[int], **sizes: int
) -> None:
    trace = make_trace(hidden=tuple(hidden), temperature=temperature, **sizes)  # type: ignore[arg-type]
    cells = data.draw(st.lists(st.sampled_from(all_cells(trace)), min_size=20, max_size=60))
    for step, index in cells:
        assert_explains(trace, step, index)


def test_the_papers_sizes_stay_exact() -> None:
    """512 terms that cancel: float32 sums would be off by more than 1e-6 of the result."""
    trace = make_trace(d_model=512, heads=8)
    for step in trace.steps:
        corner = tuple(size - 1 for size in step.value.shape)
        for index in (tuple(0 for _ in corner), corner):
            assert_explains(trace, step.name, index)


def test_a_score_is_taken_apart_into_its_products() -> None:
    trace = make_trace()
    found = explain(trace, "scores", (1, 4, 2))
    assert found.operation == "dot"
    assert [term.label for term in found.terms] == ["0", "1", "2", "3"]
    query, key = trace["query"].value[1, 4], trace["key"].value[1, 2]
    assert [term.factors for term in found.terms] == list(zip(query.tolist(), key.tolist(), strict=True))


def test_a_weight_names_the_tokens_of_its_row() -> None:
    found = explain(make_trace(mask=True), "weights", (0, 2, 1))
    assert [term.label for term in found.terms] == list(tokenize(TEXT).labels)
    assert [term.value for term in found.terms][3:] == [0.0, 0.0, 0.0]
    assert found.result == pytest.approx(found.terms[1].value / sum(term.value for term in found.terms))


def test_evaluate_uses_the_terms() -> None:
    """A changed factor changes the result: the number is not merely handed through."""
    found = explain(make_trace(), "scores", (0, 0, 0))
    broken = Explanation(found.step, found.index, found.operation, found.terms[1:], found.result)
    assert broken.evaluate() != pytest.approx(found.result)


@pytest.mark.parametrize("index", [(0, 0), (0, 0, 99), (-1, 0, 0), (0, 0, 0, 0)])
def test_a_cell_outside_is_refused(index: tuple[int, ...]) -> None:
    with pytest.raises(IndexError, match="shape"):
        explain(make_trace(), "scores", index)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(KeyError, match="no step 'attention'"):
        explain(make_trace(), "attention", (0, 0, 0))
