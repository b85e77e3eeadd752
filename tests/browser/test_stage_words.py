"""What the stage says is true: its sentences against the trace, over masks, padding, one token, ties and NaN.

The sentences are made in the browser; here they are made for every cell of many traces and held against the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page

from app.languages import LANGUAGES, locale
from components.bundle import script
from components.stage_data import StageView, stage_data, stage_steps
from components.theme import num
from models.attention import MultiHeadAttention
from models.build import build
from models.edits import Edits
from models.masks import causal, sliding_window
from models.origins import vector_origins
from models.pretrained.capture import capture_calls
from models.settings import PRESETS, Settings
from models.tokenizer import tokenize
from models.trace import Trace
from models.window import window
from tests.app.test_i18n import places
from tests.browser.test_stage_terms import send
from tests.models.pretrained.architectures import build as build_model

ANIMAL, FRUIT = PRESETS["animal"], PRESETS["fruit"]


def made(text: str, mask: torch.Tensor | None = None, *, broken: bool = False, **sizes: Any) -> Trace:
    """A trace of random vectors with any mask, or with a number that is none."""
    tokens = tokenize(text)
    x = torch.randn(len(tokens), 4, generator=torch.Generator().manual_seed(3))
    if broken:
        x[1, 2] = torch.nan
    return MultiHeadAttention(4, 2, seed=1).trace(x, mask=mask, tokens=tokens, **sizes)


def decided() -> Trace:
    """Scores so far apart that all weights but one round to 0, without any mask."""
    edits = Edits()
    for name in ("w_q", "w_k"):
        edits = edits.with_values(name, (torch.eye(3) * 100).tolist())
    return build(replace(FRUIT, edits=edits))


def cross() -> Trace:
    module = MultiHeadAttention(6, 2)
    source = tokenize("x y z")
    return module.trace(torch.randn(2, 6), torch.randn(3, 6), tokens=tokenize("a b"), context_tokens=source)


ONE = Settings("one", d_model=1, heads=1)
TRACES: dict[str, Callable[[], Trace]] = {
    "worked": partial(build, FRUIT),
    "animal, causal": partial(build, replace(ANIMAL, mask="causal")),
    "hidden tokens": partial(build, replace(ANIMAL, hidden=(0, 4))),
    "causal and hidden": partial(build, replace(ANIMAL, mask="causal", hidden=(0, 4), temperature=0.5)),
    "everything hidden": partial(build, replace(FRUIT, hidden=(0, 1, 2))),
    "one token": partial(build, ONE),
    "one token, causal": partial(build, replace(ONE, mask="causal")),
    "one token, hidden": partial(build, replace(ONE, hidden=(0,))),
    "ties": partial(build, Settings("da da da", d_model=6, heads=2)),
    "a window": partial(made, "a b c d e", sliding_window(5, 2)),
    "not a number": partial(made, "a b c", broken=True),
    "not a number, causal": partial(made, "a b c", causal(3), broken=True),
    "decided": decided,
    "another sequence": cross,
}


def learned(name: str, *, part: bool = False) -> Trace:
    """A head of a small model of this architecture, whole or through a window."""
    model, inputs = build_model(name)
    call = capture_calls(model, **inputs).calls[0]
    names = tuple("abcdefg"[: call.keys])
    trace = call.with_labels(names[: call.queries], names).trace(1)
    return window(trace, (0, 1, 5), (0, 1, 5)) if part else trace


LEARNED: dict[str, Callable[[], Trace]] = {
    **{
        name: partial(learned, name)
        for name in (
            *("Llama", "BERT", "BLOOM", "Qwen3", "Cohere", "OLMo 2", "OPT", "XLNet", "DeepSeek V3 (MLA)"),
            *("Gemma 2 (softcap)", "gpt-oss (sinks)", "Qwen3-Next (gated)", "Laguna (gated)"),
        )
    },
    **{
        f"{name}, a part": partial(learned, name, part=True)
        for name in ("Llama", "BERT", "gpt-oss (sinks)", "Gemma 2 (softcap)")
    },
}

SIZES = {"N", "M", "D", "K", "V", "H", "HV", "i", "it", "j", "d"}  # what every sentence may name

SAY = """([data, step, cells]) => {
  const number = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text] ?? Number(text);
  const columns = Object.fromEntries(Object.entries(data).filter(([name]) => name !== "meta").map(([name, values]) => {
    const array = name === "states" ? Uint8Array.from(values, Number) : Float32Array.from(values, number);
    return [name, { getChildAt: () => ({ toArray: () => array }) }];
  }));
  const { readModel, pictureOf, explainCell, sentenceOf, writeWords, writeArithmetic } = window.stageModules;
  const model = readModel({ meta: data.meta, ...columns });
  const picture = pictureOf(model, step, false);
  const host = document.createElement("div");
  host.innerHTML = "<h2></h2><p></p><div></div>";
  const line = document.createElement("div");
  const text = data.meta.text;
  return cells.map(([i, j]) => {
    writeWords(host, { model, text, step, picture, focus: { i, j }, width: 300 });
    const explain = () => explainCell(model, step, picture, i, j);
    if (step !== "tokens") writeArithmetic(line, explain(), { model, text, onTerm: () => {} });
    const { keys, values } = sentenceOf({ model, text, step, picture, i, j });
    return { keys, values, text: host.children[1].textContent, line: line.textContent };
  });
}"""


@pytest.fixture(scope="module")
def stage_page(browser: Browser) -> Iterator[Page]:
    """A blank page with what makes the stage's sentences."""
    page = browser.new_page()
    page.set_content("<p></p>")
    names = (
        "readModel, pictureOf, readItem, stateOf, axisLabel, explainCell, sentenceOf, writeWords, writeArithmetic, "
        "buildFormula, lightFormula, tabSeparated, cellInWords"
    )
    page.add_script_tag(
        type="module", content=f"{script('stage/stage.js')}\nwindow.stageModules = {{ {names} }};"
    )
    page.wait_for_function("window.stageModules")
    yield page
    page.close()


def said(page: Page, trace: Trace, code: str = "en") -> Iterator[tuple[str, int, int, dict[str, Any]]]:
    """Step, row, column and what is said there, for every cell of a trace."""
    data = send(trace)
    data["meta"] |= {"text": locale(code)["stage"], "origins": ["drawn"] * len(trace.labels("query"))}
    for step in stage_steps(trace):
        shape = (len(trace.labels("query")), 1) if step == "tokens" else trace[step].value.shape[-2:]
        cells = [(i, j) for i in range(shape[0]) for j in range(shape[1])]
        for (i, j), found in zip(cells, page.evaluate(SAY, [data, step, cells]), strict=True):
            yield step, i, j, found


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", [*TRACES, *LEARNED])
def test_every_place_is_filled_and_no_sign_follows_a_sign(stage_page: Page, name: str, code: str) -> None:
    trace = (TRACES | LEARNED)[name]()
    for step, i, j, found in said(stage_page, trace, code):
        assert locale(code)["stage"]["titles"][step]
        where = (name, step, i, j, found["text"], found["line"])
        template = "".join(locale(code)["stage"]["sentences"][key] for key in found["keys"])
        assert places(template) <= SIZES | set(found["values"]), where
        assert not re.search(r"[{}|]|undefined|null|NaN %", found["text"]), where
        assert not re.search(
            r"(?<![\d.,])1 (tokens|numbers|keys|rows|terms|heads|values)\b", found["text"]
        ), where
        for text in (found["text"], found["line"]):
            assert not re.search(r"[+−×÷]\s*[−+]", text), where


@pytest.mark.parametrize("name", TRACES)
def test_sentences_say_what_holds_in_the_trace(stage_page: Page, name: str) -> None:
    trace = TRACES[name]()
    seen = (
        torch.ones(trace["weights"].value.shape[-2:], dtype=torch.bool) if trace.mask is None else trace.mask
    )
    checks = {
        "masked": mask_says,
        "weights": weights_say,
        "head_output": blend_says,
        "output": output_says,
        "scores": scores_say,
    }
    for step, i, j, found in said(stage_page, trace):
        if step in checks:
            checks[step](trace, seen[i], i, j, found["keys"], found["values"], found["text"])


def share(text: str) -> tuple[float, float]:
    """What a share in words may be: "30 %" is anything that rounds to it."""
    number = float(re.sub(r"[<>%\s]", "", text)) / 100
    return (
        (0.0, number) if "<" in text else (number, 1.0) if ">" in text else (number - 0.0051, number + 0.0051)
    )


@pytest.mark.parametrize("name", LEARNED)
def test_sentences_on_trained_heads_say_what_holds_in_the_trace(stage_page: Page, name: str) -> None:
    trace = LEARNED[name]()
    weights, masked = trace["weights"].value[0], trace["masked"].value[0]
    for step, i, j, found in said(stage_page, trace):
        keys, values = found["keys"], found["values"]
        operation = trace[step].operation
        if operation in ("rms_norm", "layer_norm", "multiply", "softcap", "sigmoid", "softplus", "gated"):
            assert keys[0] == operation
            assert values["v"] == num(trace[step].value[0, i, j].item())
            assert keys[1:] == (
                ["norm_wide"]
                if operation.endswith("norm") and len(trace[step].inputs) > 4 - (operation == "rms_norm")
                else []
            )
        if operation == "lookup" and step in ("query", "key", "value"):
            assert keys == ["given"]
        if step == "weights":
            hidden = masked[i, j].item() == -torch.inf
            beside = [mass for mass in ("sink", "rest") if f"{mass}_mass" in trace]
            assert keys[1] == (
                f"weights_hidden{'_beside' if beside else ''}"
                if hidden
                else "_".join(["weights_share", *beside])
            )
            parts = {mass: trace[f"{mass}_mass"].value[0, i].item() for mass in beside}
            parts["drawn"] = weights[i].sum().item()
            assert sum(parts.values()) == pytest.approx(1, abs=1e-5)
            for mass, part in parts.items() if beside else ():
                low, high = share(values[mass])
                assert low - 1e-6 <= part <= high + 1e-6, (mass, part, values)
        if trace.window is not None and step == "head_output":
            nothing = trace["rest_mass"].value[0, i].item() == 0
            assert keys == ["head_output_window_none" if nothing else "head_output_window"]
            assert values["others"] == 7 - 3
        if trace.window is not None and step == "masked":
            assert keys == ["masked_window"]
            whole = LEARNED[name.removesuffix(", a part")]()
            assert values["seen"] == int((whole["masked"].value[0, (0, 1, 5)[i]] > -torch.inf).sum())
        if step == "head_output" and "sink_mass" in trace:
            assert "head_output_one" not in keys


def mask_says(trace: Trace, seen: Any, i: int, j: int, keys: list[str], values: Any, text: str) -> None:
    if trace["masked"].value[0, i].isnan().any():
        assert keys == ["not_finite"]
        return
    assert ("masked_empty" in keys) == (not seen.any())
    assert ("masked_all" in keys) == bool(seen.all())
    if "masked" in keys:
        hidden = [int(n) for n in re.findall(r"\d+", values["why"])]
        assert values["seen"] == int(seen.sum())
        assert sum(hidden) == int((~seen).sum())
        later = (
            int((~seen[i + 1 :]).sum())
            if trace.padded is None
            else int((~seen & ~trace.padded)[i + 1 :].sum())
        )
        assert ("further on" in text) == (later > 0)
    assert ("masked_padding" in keys) == (
        trace.padded is not None and bool(trace.padded[j]) and bool(seen.any())
    )


def weights_say(trace: Trace, seen: Any, i: int, j: int, keys: list[str], values: Any, text: str) -> None:
    row = trace["weights"].value[0, i]
    assert ("weights_empty" in keys) == (not seen.any())
    assert ("not_finite" in keys) == bool(row.isnan().any())
    if "weights_hidden" in keys or "weights_share" in keys:
        assert ("weights_hidden" in keys) == (not seen[j])
        assert ("gives" in text) == bool(seen[j])
        assert (values["share"] == "0 %") == (row[j].item() == 0)
        assert (values["share"] == "100 %") == (row[j].item() == 1)
    if "adds up to 1" in text:
        assert row.sum().item() == pytest.approx(1, abs=1e-5)


def blend_says(trace: Trace, seen: Any, i: int, j: int, keys: list[str], values: Any, text: str) -> None:
    row = trace["weights"].value[0, i]
    if not seen.any() or trace["head_output"].value[0, i].isnan().any():
        assert keys == ["head_output_empty" if not seen.any() else "not_finite"]
        return
    parts = int((row > 0).sum())
    assert ("head_output" in keys) == (parts == len(row) > 1)
    assert ("head_output_some" in keys) == (1 < parts < len(row))
    if parts == 1:
        assert values["only"] == f"“{trace.labels('key')[int(row.argmax())]}”"
        assert "blend of" not in text


def output_says(trace: Trace, seen: Any, i: int, j: int, keys: list[str], values: Any, text: str) -> None:
    if trace["output"].value[i].isnan().any():
        assert keys == ["not_finite"]
        return
    count = int(seen.sum())
    tail = (
        "made_of_nothing"
        if not count
        else "made_of_one"
        if count == 1
        else "made_of_all"
        if seen.all()
        else "made_of_some"
    )
    assert keys[1] == tail
    if count == 1:
        assert values["only"] == f"“{trace.labels('key')[int(seen.nonzero()[0])]}”"


def scores_say(trace: Trace, seen: Any, i: int, j: int, keys: list[str], values: Any, text: str) -> None:
    row = trace["scores"].value[0, i]
    best = int((row == row.max()).sum())
    if row.isnan().any():
        assert keys == ["not_finite"]
        return
    assert keys == ["scores", *(["scores_tie"] if best > 1 else ["scores_best"] if len(row) > 1 else [])]
    if best > 1:
        assert values["count"] == best


def test_the_first_word_under_a_causal_mask_is_made_of_itself(stage_page: Page) -> None:
    """The example that was found: “each row is made from the whole sentence”, “a blend of all values: 100 % The”."""
    texts = {(step, i): found["text"] for step, i, j, found in said(stage_page, TRACES["animal, causal"]())}
    assert "made from the value of “The” alone" in texts["output", 0]
    assert "whole sentence" not in texts["output", 0]
    assert "so its new vector is the value of “The”, unmixed" in texts["head_output", 0]
    assert "all 10" in texts["output", 9]


@pytest.mark.parametrize(
    ("settings", "origins"),
    [
        (FRUIT, ["worked"] * 3),
        (ANIMAL, ["drawn"] * 10),
        (replace(FRUIT, text="我 爱 苹果"), ["worked", "drawn", "worked"]),
        (replace(FRUIT, edits=FRUIT.edits.with_cell("embedding", 1, 0, 2.0)), ["worked", "edited", "worked"]),
        (replace(ANIMAL, edits=Edits().with_base("embedding", "identity")), ["edited"] * 10),
    ],
)
def test_no_table_is_claimed_where_vectors_are_drawn(
    stage_page: Page, settings: Settings, origins: list[str]
) -> None:
    trace = build(settings)
    assert trace.tokens is not None
    assert vector_origins(settings, trace.tokens) == origins
    data = send(trace)
    data["meta"] |= stage_data(
        trace, head=0, text=locale("en")["stage"], start=StageView("tokens", 0, 0), origins=origins
    )["meta"]
    cells = [(i, 0) for i in range(len(origins))]
    found = stage_page.evaluate(SAY, [data, "tokens", cells])
    assert [keys["keys"][-1] for keys in found] == [f"id_{origin}" for origin in origins]
    assert not any("a table turns it into" in keys["text"] for keys in found)


FORMULA = """([data, at]) => {
  const { buildFormula, lightFormula } = window.stageModules;
  const host = document.createElement("div");
  buildFormula(host, data.meta, data.meta.text, () => {});
  lightFormula(host, data.meta.steps, at);
  const parts = [...host.querySelectorAll(".part")];
  return parts.map((part) => [part.dataset.step ?? null, part.classList.contains("done")]);
}"""


@pytest.mark.parametrize("without", ["scaled", "embedding", "concat", "scores"])
def test_a_step_that_a_trace_does_not_have_is_never_lit_as_done(stage_page: Page, without: str) -> None:
    data = send(build(ANIMAL))
    data["meta"]["steps"].remove(without)
    steps = data["meta"]["steps"]
    for at in range(len(steps)):
        lit = stage_page.evaluate(FORMULA, [data, at])
        assert {step for step, _ in lit if step} <= set(steps)
        assert {step for step, done in lit if done} == set(steps[:at])
    assert without not in {step for step, _ in lit}


def test_copied_with_labels_and_with_words_for_what_is_hidden(stage_page: Page) -> None:
    trace = build(replace(ANIMAL, mask="causal", hidden=(2,)))
    copy = """(data) => {
      const { readModel, pictureOf, stateOf, readItem, axisLabel, tabSeparated, cellInWords } = window.stageModules;
      const array = ([name, values]) => (name === "states" ? Uint8Array : Float32Array).from(values, Number);
      const sent = Object.entries(data).filter(([name]) => name !== "meta");
      const columns = Object.fromEntries(sent.map((e) => [e[0], { getChildAt: () => ({ toArray: () => array(e) }) }]));
      const model = readModel({ meta: data.meta, ...columns });
      const entry = pictureOf(model, "weights", false).out[0];
      const cell = {
        rows: entry.rows, cols: entry.cols, text: data.meta.text,
        read: (r, c) => readItem(entry, r, c), state: (r, c) => stateOf(entry, r, c),
        rowLabel: (r) => axisLabel(model, entry.rowAxis, r), colLabel: (c) => axisLabel(model, entry.colAxis, c),
      };
      return [tabSeparated(cell), cellInWords(cell, 0, 1), cellInWords(cell, 0, 2), cellInWords(cell, 0, 0)];
    }"""
    copied, masked, padded, one = stage_page.evaluate(copy, send(trace))
    lines = [line.split("\t") for line in copied.split("\n")]
    labels = list(trace.labels("query"))
    assert lines[0] == ["", *labels]
    assert [line[0] for line in lines[1:]] == labels
    assert (masked, padded, one) == ("masked", "padding", "1.0000")
    for i, line in enumerate(lines[1:]):
        for j, text in enumerate(line[1:]):
            if text not in ("masked", "padding"):
                assert float(text) == pytest.approx(trace["weights"].value[0, i, j].item(), rel=1e-6)
            else:
                assert trace.mask is not None
                assert not trace.mask[i, j]
                assert (text == "padding") == (j == 2)
