"""The scripts that users take away are run, and must give the numbers of the trace that they were written from."""

from __future__ import annotations

import ast
import contextlib
import io
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.attention import MultiHeadAttention
from models.build import build
from models.edits import Edits
from models.masks import prefix
from models.settings import PRESETS, Settings
from models.snippets import snippet, source
from models.snippets.literals import LARGEST_WRITTEN_OUT, decoder, literal
from models.tokenizer import tokenize
from models.trace import Trace
from tests.models.test_explain import make_trace

EDITED = (
    Edits()
    .with_cell("embedding", 0, 1, 1 / 3)
    .with_base("w_q", "identity")
    .with_values("w_k", torch.randn(6, 6, generator=torch.Generator().manual_seed(5)))
    .with_base("w_v", "reseed", 9)
    .with_cell("w_o", 5, 5, -1e-5)
)
SIX = Settings("one two three four", d_model=6, heads=2)

TRACES = {
    "worked example": lambda: build(PRESETS["fruit"]),
    "paper": lambda: build(PRESETS["paper"]),
    "positions": lambda: build(PRESETS["animal"]),
    "odd d_model": lambda: build(Settings("a b c", d_model=7, heads=1, position="sinusoidal")),
    "one token": lambda: build(Settings("hello", mask="causal")),
    "causal": lambda: build(replace(SIX, mask="causal")),
    "padding": lambda: build(replace(SIX, hidden=(1, 3))),
    "causal and padding, empty rows": lambda: build(replace(SIX, mask="causal", hidden=(0, 2))),
    "everything hidden": lambda: build(replace(SIX, hidden=(0, 1, 2, 3))),
    "temperature": lambda: build(replace(SIX, temperature=0.35)),
    "d_k other than d_v": lambda: build(replace(SIX, d_k=5, d_v=3)),
    "edited": lambda: build(replace(SIX, edits=EDITED)),
    "many tokens": lambda: build(Settings("word " * 200, d_model=16, heads=2, mask="causal", hidden=(7,))),
    "hostile tokens": lambda: build(Settings('""" \\ \ud83d \u202e # \' {x} שלום é inf unpack', position="sinusoidal")),
    "cross": lambda: make_trace(context="我喜欢苹果", temperature=2.0),
    "cross, padded": lambda: make_trace(context="我喜欢苹果", hidden=(1,), mask=True),
    "other mask": lambda: _masked(prefix(5, 2)),
    "mask per head": lambda: _masked(torch.stack([prefix(5, 2), prefix(5, 3)])),
    "large other mask": lambda: _masked(prefix(60, 20)),
    "float64": lambda: make_trace(dtype=torch.float64, mask=True),
    "no tokens": lambda: MultiHeadAttention(4, 2).trace(torch.eye(4)),
}  # fmt: skip


def _masked(mask: torch.Tensor) -> Trace:
    x = torch.randn(mask.shape[-1], 6, generator=torch.Generator().manual_seed(1))
    return MultiHeadAttention(6, 2).trace(x, mask=mask)


def run(code: str) -> torch.Tensor:
    code.encode()  # can be saved
    printed = io.StringIO()
    space: dict[str, torch.Tensor] = {}
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet.py", "exec"), space)
    assert printed.getvalue().strip()
    return space["result"]


def assert_reproduces(trace: Trace, name: str, head: int | None = None) -> None:
    expected = trace[name].value
    if head is not None and trace[name].axes[0] == "head":
        expected = expected[head]
    result = run(snippet(trace, name, head=head))
    size = expected.double()[expected.isfinite()].abs().max().item() if expected.isfinite().any() else 0.0
    torch.testing.assert_close(result.double(), expected.double(), rtol=1e-6, atol=1e-6 * max(size, 1e-3))


@pytest.mark.parametrize("make", TRACES.values(), ids=TRACES.keys())
def test_every_step_is_reproduced(make: object) -> None:
    trace: Trace = make()  # type: ignore[operator]
    for name in trace.names:
        if name != "tokens":
            assert_reproduces(trace, name)
            assert_reproduces(trace, name, head=trace.heads - 1)


@given(
    st.text(st.characters(exclude_categories=()), min_size=1, max_size=30).filter(
        lambda text: len(tokenize(text)) > 0
    ),
    st.sampled_from([(4, 1), (4, 2), (6, 3)]),
    st.sampled_from(["none", "causal"]),
    st.sets(st.integers(0, 5)),
    st.sampled_from([0.3, 1.0, 4.0]),
    st.integers(1, 5),
)
@settings(max_examples=40)
def test_any_sentence_and_settings(text, sizes, mask, hidden, temperature, d_k) -> None:  # type: ignore[no-untyped-def]
    trace = build(
        Settings(text, d_model=sizes[0], heads=sizes[1], mask=mask, hidden=tuple(sorted(hidden)),
                 temperature=temperature, d_k=d_k, position="sinusoidal")
    )  # fmt: skip
    for name in ("tokens", "position", "weights", "output"):
        assert_reproduces(trace, name)
    assert_reproduces(trace, "head_output", head=0)


def test_ids_are_exact() -> None:
    trace = build(Settings("The the 苹果 \ud83d '\"\\ E\u0301té"))
    assert torch.equal(run(snippet(trace, "tokens")), trace["tokens"].value)


def test_a_head_takes_its_own_columns_only() -> None:
    trace = build(PRESETS["paper"])
    assert len(snippet(trace, "weights", head=3)) < len(snippet(trace, "weights")) / 6
    assert "# D × K = 512 × 64, W_Q[:, 192:256]" in snippet(trace, "query", head=3)
    assert "W_V" not in snippet(trace, "weights", head=3)  # only what the step needs


def test_masks_are_written_by_their_rule() -> None:
    trace = build(replace(SIX, mask="causal", hidden=(2,)))
    code = snippet(trace, "masked")
    assert "torch.ones(4, 4, dtype=torch.bool).tril()" in code
    assert "visible[:, [2]] = False" in code
    assert "visible" not in snippet(build(SIX), "masked")


def test_scripts_say_what_they_compute_and_import_only_what_they_need() -> None:
    code = snippet(build(PRESETS["fruit"]), "scaled", head=0)
    assert code.startswith("# scaled = Q·Kᵀ / √d_k\nfrom math import sqrt\n\nimport torch\n")
    assert code.endswith("result = scaled\nprint(result)\n")
    assert "[0.4, 0.5, 0.6],  # 喜欢" in code


def test_unknown_steps_and_heads_are_refused() -> None:
    trace = build(SIX)
    with pytest.raises(KeyError):
        snippet(trace, "nothing")
    with pytest.raises(IndexError):
        snippet(trace, "scores", head=2)
    with pytest.raises(KeyError):
        source("nothing")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 4), (2, 2, 2), (50, 41)])
def test_literals_are_exact(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=dtype)
    values.view(-1)[:3] = torch.tensor([torch.inf, -torch.inf, 1e-30], dtype=dtype)
    text = literal(values)
    assert ("unpack" in text) == (values.numel() > LARGEST_WRITTEN_OUT)
    imports = "import base64, zlib, torch\nfrom math import inf, nan\n"
    space: dict[str, torch.Tensor] = {}
    exec(imports + "\n".join(decoder(dtype)) + f"\nresult = {text}", space)
    assert torch.equal(space["result"], values.double())
    assert str(0.1) in literal(torch.tensor([0.1]))


@pytest.mark.parametrize("name", build(PRESETS["animal"]).names)
def test_source_is_a_whole_function_of_the_engine(name: str) -> None:
    (function,) = ast.parse(source(name)).body
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function)


def test_source_is_the_function_that_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step whose function is spoiled must change, or the source shown would not be what computed it."""
    from models import recorder, steps

    plain = build(PRESETS["animal"])
    for name in ("query", "scores", "scaled", "weights", "head_output", "concat", "output"):
        function = source(name).split("(")[0].removeprefix("def ")
        with monkeypatch.context() as patch:
            real = getattr(steps, function)
            patch.setattr(steps, function, lambda *a, real=real: real(*a) + 1)
            assert recorder.steps is steps
            assert not torch.equal(build(PRESETS["animal"])[name].value, plain[name].value)
