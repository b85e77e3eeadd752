"""The browser's explanations are those of models.explain: same operation, same factors, same result."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import transformers as hf
from playwright.sync_api import Page

from app.languages import locale
from components.bundle import script
from components.stage import StageView, can_show, stage_data, stage_steps
from models.attention import MultiHeadAttention
from models.build import build
from models.explain import explain
from models.pretrained.capture import capture_calls
from models.settings import PRESETS, Settings
from models.tokenizer import tokenize
from models.trace import Trace
from tests.models.pretrained import folders

HEAD = 0
SETTINGS = {
    "fruit": PRESETS["fruit"],
    "animal": dataclasses.replace(PRESETS["animal"], mask="causal", hidden=(0, 4), temperature=0.5),
    "sizes": Settings("one two three", d_model=5, heads=2, d_k=3, d_v=4, position="sinusoidal"),
}


@pytest.fixture
def laboratory(new_page: Callable[..., Page]) -> Page:
    """A blank page with the stage's own modules at hand."""
    page = new_page()
    page.set_content("<p></p>")
    names = "readModel, pictureOf, explainCell"
    page.add_script_tag(
        type="module", content=f"{script('stage/stage.js')}\nwindow.stageModules = {{ {names} }};"
    )
    page.wait_for_function("window.stageModules")
    return page


def send(trace: Trace) -> dict[str, Any]:
    data = stage_data(trace, head=HEAD, text=locale("en")["stage"], start=StageView("scores", 0, 0))
    # JSON has no −∞ and no NaN
    return {
        name: value if name == "meta" else [str(v) for v in value.column("v").to_pylist()]
        for name, value in data.items()
    }


EXPLAIN = """([data, step, cells]) => {
  const number = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text] ?? Number(text);
  const columns = Object.fromEntries(Object.entries(data).filter(([name]) => name !== "meta").map(([name, values]) => {
    const array = name === "states" ? Uint8Array.from(values, Number) : Float32Array.from(values, number);
    return [name, { getChildAt: () => ({ toArray: () => array }) }];
  }));
  const { readModel, pictureOf, explainCell } = window.stageModules;
  const model = readModel({ meta: data.meta, ...columns });
  const picture = pictureOf(model, step, false);
  return cells.map(([i, j]) => {
    const { operation, terms, result } = explainCell(model, step, picture, i, j);
    const factors = terms.map((term) => term.factors.map(String));
    return { operation, result: String(result), factors, labels: terms.map((term) => term.label) };
  });
}"""


def number(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def cross() -> Trace:
    """Two tokens that look at three of another sequence."""
    module = MultiHeadAttention(6, 2)
    return module.trace(
        torch.randn(2, 6), torch.randn(3, 6), tokens=tokenize("a b"), context_tokens=tokenize("x y z")
    )


TRACES = {**{name: partial(build, settings) for name, settings in SETTINGS.items()}, "cross": cross}


@pytest.mark.parametrize("name", TRACES)
def test_both_sides_explain_alike(laboratory: Page, name: str) -> None:
    trace = TRACES[name]()
    data = send(trace)
    for step in stage_steps(trace):
        if step == "tokens":
            continue
        value = trace[step].value
        shape = value.shape[1:] if trace[step].axes[0] == "head" else value.shape
        cells = list(itertools.product(*map(range, shape)))[::3]
        for (i, j), found in zip(cells, laboratory.evaluate(EXPLAIN, [data, step, cells]), strict=True):
            index = (HEAD, i, j) if trace[step].axes[0] == "head" else (i, j)
            expected = explain(trace, step, index)
            assert number(found["result"]) == pytest.approx(expected.result, rel=1e-6, abs=1e-12)
            assert found["operation"] == (
                "copy" if expected.operation == "lookup" else expected.operation
            ).replace("mask", "sum")
            if expected.operation in ("dot", "softmax", "product", "sine", "cosine"):
                assert [[number(f) for f in term] for term in found["factors"]] == [
                    pytest.approx(list(term.factors), rel=1e-6, abs=1e-12) for term in expected.terms
                ]
            if expected.operation in ("dot", "softmax"):
                assert found["labels"] == [term.label for term in expected.terms]
            assert math.isfinite(number(found["result"])) or step == "masked"


def lone(make: Callable[[], Any], layer: int = 0, head: int = 1, **inputs: list[int]) -> Trace:
    """One head of a small random model in transformers."""
    tensors = {name: torch.tensor([ids]) for name, ids in inputs.items()}
    call = capture_calls(make().eval(), **tensors).calls[layer]
    names = tuple("abcdef"[: call.keys])
    return call.with_labels(names[: call.queries], names).trace(head)


def qwen3() -> Any:
    sizes = {**folders.SIZES, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64}
    return folders.seeded(hf.Qwen3ForCausalLM, hf.Qwen3Config(**sizes))


IDS = [5, 9, 200, 9]
LONE = {
    "rotary": (partial(lone, folders.llama, input_ids=IDS), {"query_rotated", "key_rotated", "masked"}),
    "biases": (partial(lone, folders.bert, layer=1, input_ids=IDS), {"query", "contribution"}),
    "bias on scores": (
        partial(lone, folders.t5, input_ids=IDS, decoder_input_ids=[0, 7]),
        {"biased", "contribution"},
    ),
    "a norm on queries": (partial(lone, qwen3, input_ids=IDS), None),
}


@pytest.mark.parametrize("name", LONE)
def test_heads_of_other_models_are_explained_alike(laboratory: Page, name: str) -> None:
    make, expected_steps = LONE[name]
    trace = make()
    assert can_show(trace) == (expected_steps is not None)
    if expected_steps is None:
        return
    assert expected_steps <= set(stage_steps(trace))
    data = send(trace)
    for step in stage_steps(trace):
        value = trace[step].value
        shape = value.shape[1:] if trace[step].axes[0] == "head" else value.shape
        cells = list(itertools.product(*map(range, shape)))[::3]
        for (i, j), found in zip(cells, laboratory.evaluate(EXPLAIN, [data, step, cells]), strict=True):
            expected = explain(trace, step, (0, i, j) if trace[step].axes[0] == "head" else (i, j))
            assert number(found["result"]) == pytest.approx(expected.result, rel=1e-6, abs=1e-12)
            if expected.operation != "dot":
                continue
            terms = [[number(f) for f in term] for term in found["factors"]]
            wanted = [[1.0, *t.factors] if len(t.factors) == 1 else list(t.factors) for t in expected.terms]
            if len(terms) > len(wanted):  # another projection has a bias, this one has none
                assert terms.pop() == [1.0, 0.0]
            assert terms == [pytest.approx(term, rel=1e-6, abs=1e-12) for term in wanted]
