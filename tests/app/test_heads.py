"""The page about heads, without a browser: its numbers, its words, every preset and size."""

from __future__ import annotations

import re

import pytest
import torch
from hypothesis import given
from hypothesis import settings as rules
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from app.learn.heads.numbers import counted_parameters, head_contributions, ledger, parameter_count
from models.build import build
from models.settings import PRESETS, Settings

SENTENCE = "The animal didn't cross the street because it was tired"
sizes = some.builds(
    Settings,
    text=some.sampled_from([SENTENCE, "I love NLP", "我喜欢苹果", "one"]),
    seed=some.integers(0, 99),
    d_model=some.integers(1, 24),
    heads=some.integers(1, 6),
    d_k=some.integers(1, 9),
    d_v=some.integers(1, 9),
    mask=some.sampled_from(["none", "causal"]),
)


# ---- the numbers ---------------------------------------------------------------------------------------------------


@given(sizes)
@rules(max_examples=40)
def test_what_the_heads_add_sums_to_the_output(settings: Settings) -> None:
    trace = build(settings)
    for token in range(trace["output"].value.shape[0]):
        parts = head_contributions(trace, token)
        assert parts.shape == (settings.heads, settings.d_model)
        torch.testing.assert_close(parts.sum(0), trace["output"].value[token], rtol=1e-5, atol=1e-5)


def test_a_head_s_part_is_the_output_without_the_other_heads() -> None:
    trace = build(PRESETS["animal"])
    only = torch.zeros_like(trace["concat"].value[3])
    only[8:12] = trace["concat"].value[3, 8:12]  # head 3 of 4 owns columns 8 … 11
    torch.testing.assert_close(head_contributions(trace, 3)[2], only @ trace.parameters["w_o"])


@given(sizes)
@rules(max_examples=40)
def test_the_ledger_and_the_formula_agree_with_the_tensors(settings: Settings) -> None:
    trace = build(settings)
    for row in ledger(trace):
        tensor = trace.tensor(row.step)
        assert row.values == tensor.numel(), row
        assert tuple(tensor.shape) == ((row.times, *row.shape) if tensor.dim() == 3 else row.shape), row
    assert sum(counted_parameters(trace).values()) == parameter_count(
        trace.d_model, trace.heads, trace.d_k, trace.d_v
    )


def test_the_paper_s_sizes() -> None:
    """Vaswani et al. 2017, section 3.2.2: d_model 512, 8 heads, d_k = d_v = 64."""
    trace = build(PRESETS["paper"])
    shapes = {row.step: (row.times, *row.shape) for row in ledger(trace)}
    assert shapes["query"] == (8, 3, 64)
    assert shapes["w_q"] == (1, 512, 512)
    assert shapes["concat"] == (1, 3, 512)
    assert parameter_count(512, 8, 64, 64) == parameter_count(512, 1, 512, 512) == 4 * 512**2


# ---- the page ------------------------------------------------------------------------------------------------------


def page(**query: object) -> AppTest:
    at = AppTest.from_string("from app.learn.heads import page\npage.show()", default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = str(value)
    return at.run()


def words(at: AppTest) -> str:
    """The page's own words, without tags."""
    return re.sub(r"<[^>]+>", "", " ".join(block.proto.body for block in at.get("html")))


def components(at: AppTest) -> dict[str, int]:
    """How often each component stands on the page."""
    names = [element.proto.component_name for element in at.get("bidi_component")]
    return {name: names.count(name) for name in names}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_preset_in_both_languages(preset: str, lang: str) -> None:
    at = page(preset=preset, lang=lang)
    assert not at.exception
    assert components(at) == {"am_head_grid": 1, "am_matrix": 4, "am_token_links": 1}


@pytest.mark.parametrize(
    "query",
    [
        {"text": "one"},
        {"text": "word " * 300},
        {"preset": "animal", "heads": 16, "d": 512},
        {"preset": "animal", "heads": 3, "dk": 5, "dv": 2},
        {"preset": "animal", "hide": "0,1,2,3,4,5,6,7,8,9"},
        {"preset": "animal", "mask": "causal", "hide": "0"},
        {"preset": "animal", "head": 15, "i": 8000, "j": 8000},
        {"text": "<script>alert(1)</script> $x$ **b** :red[x] \ud83d 💩"},
        {"preset": "animal", "temp": 0.05},
    ],
    ids=str,
)
def test_unusual_settings(query: dict[str, object]) -> None:
    at = page(
        **{k: str(v).encode("utf-16", "surrogatepass").decode("utf-16", "replace") for k, v in query.items()}
    )
    assert not at.exception
    assert "script" not in " ".join(block.proto.body for block in at.get("html")).lower()


def test_the_parameter_count_stands_beside_single_head_attention_s() -> None:
    text = words(page(preset="paper"))
    assert text.count("1,048,576") >= 4  # two bars, the formula, the count
    assert "8 heads of 64 = 512 / 8 numbers" in text
    assert "512 × 512" in text


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"preset": "animal", "dk": 5, "dv": 2}, "fewer than"),
        ({"preset": "animal", "dk": 9, "dv": 9}, "more than"),
        ({"preset": "fruit"}, "single-head attention"),
    ],
)
def test_other_sizes_are_compared_honestly(query: dict[str, object], says: str) -> None:
    assert says in words(page(**query))
