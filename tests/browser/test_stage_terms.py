"""The browser's explanations are those of models.explain: same operation, same factors, same result."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page

from app.languages import locale
from components.bundle import script
from components.stage_data import StageView, can_show, stage_data, stage_steps
from models.attention import MultiHeadAttention
from models.build import build
from models.explain import Explanation, explain
from models.pretrained.capture import capture_calls
from models.settings import PRESETS, Settings
from models.tokenizer import tokenize
from models.trace import Step, Trace
from models.vocabulary import ORDER
from models.window import window
from tests.models.pretrained.architectures import ARCHITECTURES
from tests.models.pretrained.architectures import build as build_model

BESIDE = {f"⟨{name}⟩": f"⟨{locale('en')['stage']['names'][name]}⟩" for name in ("sink", "rest")}
HEAD = 0
SETTINGS = {
    "fruit": PRESETS["fruit"],
    "animal": dataclasses.replace(PRESETS["animal"], mask="causal", hidden=(0, 4), temperature=0.5),
    "sizes": Settings("one two three", d_model=5, heads=2, d_k=3, d_v=4, position="sinusoidal"),
}


@pytest.fixture(scope="module")
def laboratory(browser: Browser) -> Iterator[Page]:
    """A blank page with the stage's own modules at hand."""
    page = browser.new_page()
    page.set_content("<p></p>")
    names = "readModel, pictureOf, explainCell"
    page.add_script_tag(
        type="module", content=f"{script('stage/stage.js')}\nwindow.stageModules = {{ {names} }};"
    )
    page.wait_for_function("window.stageModules")
    yield page
    page.close()


def send(trace: Trace) -> dict[str, Any]:
    data = stage_data(trace, head=HEAD, text=locale("en")["stage"], start=StageView("scores", 0, 0))
    # JSON has no −∞ and no NaN
    return {
        name: value if name == "meta" else [str(v) for v in value.column("v").to_pylist()]
        for name, value in data.items()
    }


EXPLAIN = """([data, wanted]) => {
  const number = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text] ?? Number(text);
  const columns = Object.fromEntries(Object.entries(data).filter(([name]) => name !== "meta").map(([name, values]) => {
    const array = name === "states" ? Uint8Array.from(values, Number) : Float32Array.from(values, number);
    return [name, { getChildAt: () => ({ toArray: () => array }) }];
  }));
  const { readModel, pictureOf, explainCell } = window.stageModules;
  const model = readModel({ meta: data.meta, ...columns });
  return wanted.map(([step, cells]) => {
    const picture = pictureOf(model, step, false);
    return cells.map(([i, j]) => {
      const { operation, terms, result, chosen } = explainCell(model, step, picture, i, j);
      const factors = terms.map((term) => term.factors.map(String));
      return { operation, result: String(result), factors, labels: terms.map((term) => term.label), chosen };
    });
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


def cells_of(step: Step, most: int = 24) -> list[tuple[int, int]]:
    """Cells of a step's matrix, as the stage counts them."""
    shape = step.value.shape[1:] if step.axes[0] == "head" else step.value.shape
    cells = list(itertools.product(*map(range, shape)))
    return cells[:: max(1, len(cells) // most)]


def assert_alike(found: dict[str, Any], expected: Explanation) -> None:
    """The browser's explanation of a cell is Python's: operation, factors, labels and result."""
    where = (expected.step, expected.index)
    assert number(found["result"]) == pytest.approx(expected.result, rel=1e-6, abs=1e-12, nan_ok=True), where
    assert found["operation"] == expected.operation, where
    terms = [[number(factor) for factor in term] for term in found["factors"]]
    wanted = [list(term.factors) for term in expected.terms]
    labels = [term.label for term in expected.terms]
    if expected.operation == "dot" and len(terms) >= len(wanted) and found["labels"][-1] == "+b":
        # a bias is the last row of W, which a column of ones meets; zeros where another projection has a bias
        if len(terms) > len(wanted):
            wanted, labels = [*wanted, [0.0]], [*labels, "+b"]
        wanted, labels = [*wanted[:-1], [1.0, wanted[-1][-1]]], [*labels[:-1], "+b"]
    assert len(terms) == len(wanted), where
    for term, factors in zip(terms, wanted, strict=True):
        assert term == pytest.approx(factors, rel=1e-6, abs=1e-12, nan_ok=True), where
    if expected.operation in ("dot", "softmax", "rms_norm", "layer_norm"):
        assert found["labels"] == [BESIDE.get(label, label) for label in labels], where
        assert found["chosen"] == expected.chosen or expected.operation == "dot", where


def assert_all_alike(laboratory: Page, trace: Trace) -> None:
    """Some cells of every step, and of what stands beside the keys in softmax."""
    data = send(trace)
    wanted = [(name, cells_of(trace[name]), name) for name in stage_steps(trace) if name != "tokens"]
    rows, keys = trace["weights"].value.shape[1:]
    for at, name in enumerate(data["meta"]["how"]["weights"]["beside"]):
        wanted.append(("weights", [(i, keys + at) for i in range(rows)], name))
    answers = laboratory.evaluate(EXPLAIN, [data, [(step, cells) for step, cells, _ in wanted]])
    for (_, cells, name), found in zip(wanted, answers, strict=True):
        for (i, j), cell in zip(cells, found, strict=True):
            full = trace[name].axes[0] == "head"
            index = (HEAD, i, j) if full else (i, j)
            assert_alike(cell, explain(trace, name, index[: trace[name].value.ndim]))


@pytest.mark.parametrize("name", TRACES)
def test_both_sides_explain_alike(laboratory: Page, name: str) -> None:
    assert_all_alike(laboratory, TRACES[name]())


def different(traces: Iterable[Trace]) -> Iterator[Trace]:
    """One trace for each way in which its steps came about."""
    seen = set()
    for trace in traces:
        way = tuple((step.name, step.operation, step.inputs) for step in trace.steps)
        if way not in seen:
            seen.add(way)
            yield trace


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_is_explained_alike(laboratory: Page, name: str) -> None:
    model, inputs = build_model(name)
    calls = capture_calls(model, **inputs).calls
    for trace in different(call.trace(min(1, call.heads - 1)) for call in calls):
        assert can_show(trace)
        assert_all_alike(laboratory, trace)
        rows, columns = trace["weights"].value.shape[1:]
        queries = tuple(sorted({0, rows // 2, rows - 1}))
        part = window(trace, queries, (1, columns - 1) if "context" in trace else queries)
        assert set(part.names) <= set(ORDER)
        assert_all_alike(laboratory, part)
