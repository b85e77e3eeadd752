"""Running a model with changes: many rows at once, threads, positions, what cannot be used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from models.errors import InputError
from models.interventions import growth
from models.interventions.change import WHATS, Intervention
from models.interventions.changer import Row
from models.interventions.subject import Subject
from models.pretrained import load_model
from models.pretrained.model import ModelTrace
from tests.models.interventions.subjects import FAMILIES, OWN_KINDS, ROUNDING, every, family, gap, own

THREADS = 8


def heads_of(subject: Subject) -> list[Row]:
    """Every head switched off by itself, in an order that is not the layers'."""
    rows: list[Row] = [
        [Intervention(call.stream, call.kind, call.layer, head)]
        for call in reversed(subject.calls)
        for head in range(call.heads)
    ]
    return [(), *rows, [*rows[0], *rows[-1]], ()]


@pytest.mark.parametrize("name", [*FAMILIES, *OWN_KINDS])
def test_rows_of_one_run_are_the_runs_of_each(name: str) -> None:
    subject = every(name)
    rows = heads_of(subject)
    together = subject.run(rows, 2)
    for row, output in zip(rows, together, strict=True):
        assert gap(output[None], subject.run([row], 2)) < ROUNDING


@pytest.mark.parametrize(
    "name", ["Llama", "GPT-2", "BERT", "DistilBERT", "gpt-oss (sinks)", "Mistral (window)"]
)
def test_the_batch_grows_where_it_can(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = family(name)
    monkeypatch.setattr("models.interventions.subject._expanded", lambda *_: pytest.fail("a full batch"))
    subject.run(heads_of(subject), 2)


@pytest.mark.parametrize("name", ["T5", "BART", "ALBERT"])
def test_and_not_where_it_cannot(name: str) -> None:
    subject = family(name)
    assert growth.plan(subject.calls, heads_of(subject)) is None


def test_a_model_that_does_not_bear_it_runs_with_a_full_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = family("Llama")
    expected = subject.run(heads_of(subject), 2)

    def refuse(*_: object) -> Any:
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(growth, "_joined", refuse)
    assert gap(subject.run(heads_of(subject), 2), expected) < ROUNDING
    assert not any(module._forward_pre_hooks for module in subject.module.modules())


@pytest.mark.parametrize("name", ["Llama", "BERT", "T5", "decoder", "encoder-decoder"])
def test_threads_that_share_a_model_never_mix(name: str) -> None:
    subject = every(name)
    rows = heads_of(subject)
    expected = [subject.run([row], 2) for row in rows]
    work = [place % len(rows) for place in range(6 * THREADS)]

    def run(place: int) -> bool:
        one = subject.run([rows[place]], 2)
        pair = subject.run([rows[place], ()], 2)
        outputs = ((one, expected[place]), (pair[:1], expected[place]), (pair[1:], expected[0]))
        return all(gap(found, wanted) < ROUNDING for found, wanted in outputs)

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(run, work))
    assert not any(module._forward_pre_hooks for module in subject.module.modules())


@pytest.mark.parametrize("name", ["smollm2", "minilm", "en-pt"])
def test_every_position_of_the_ready_models(name: str) -> None:
    model = load_model(name)
    trace = model.trace("The cat sat.")
    subject = Subject.of(model.module, trace)
    assert subject.compared == {"smollm2": "next", "minilm": "vectors", "en-pt": "next"}[name]
    whole = subject.run([()], None)[0]
    assert len(whole) == subject.positions
    off = [Intervention(trace.calls[0].stream, "self", 0, 1)]
    for position in range(subject.positions):
        found = subject.run([(), off], position)
        assert gap(found[:1], whole[position : position + 1]) < 1e-5
        assert gap(found[1:], found[:1]) > 1e-5


def test_a_model_of_half_precision_stays_one() -> None:
    whole, half = family("Llama"), family("Llama")
    half.module.to(torch.bfloat16)
    for what in WHATS:
        change = [Intervention("decoder", "self", 0, 2, what, 3, 1)]
        found, expected = (subject.run([(), change], 3) for subject in (half, whole))
        assert found.dtype == torch.float32
        assert gap(found, expected) < 0.1
        assert gap(found[1:], found[:1]) > 1e-3
    assert next(half.module.parameters()).dtype == torch.bfloat16


def test_grouped_heads_share_keys_and_are_changed_one_by_one() -> None:
    subject = family("Llama")
    assert subject.calls[0].kv_heads < subject.calls[0].heads
    first, second = subject.run([[Intervention("decoder", "self", 0, head)] for head in (0, 1)], 3)
    assert gap(first, second) > 1e-4


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (Intervention("decoder", "self", 9, 0), "cause_no_head"),
        (Intervention("decoder", "self", 0, 99), "cause_no_head"),
        (Intervention("decoder", "self", 0, -1), "cause_no_head"),
        (Intervention("encoder", "cross", 0, 0), "cause_no_head"),
        (Intervention("decoder", "self", 0, 0, "edge"), "cause_no_edge"),
        (Intervention("decoder", "self", 0, 0, "edge", 3), "cause_no_edge"),
        (Intervention("decoder", "self", 0, 0, "edge", 99, 0), "cause_no_cell"),
        (Intervention("decoder", "self", 0, 0, "edge", 0, -1), "cause_no_cell"),
        (Intervention("decoder", "self", 0, 0, "mean"), "unknown_choice"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("name", ["Llama", "decoder"])
def test_what_there_is_not(name: str, change: Intervention, key: str) -> None:
    with pytest.raises(InputError) as caught:
        every(name).run([[change]], 0)
    assert caught.value.key == key


@pytest.mark.parametrize("name", ["BLOOM", "GPT-Neo", "MPT"])
def test_attention_that_is_the_models_own_cannot_be_changed(name: str) -> None:
    subject = family(name)
    call = subject.calls[0]
    with pytest.raises(InputError, match="can be watched and not changed") as caught:
        subject.run([[Intervention(call.stream, call.kind, call.layer, 0)]], 0)
    assert caught.value.key == "cause_own_attention"


def test_an_output_that_is_not_a_number_is_said() -> None:
    subject = own("decoder")
    with torch.no_grad():
        next(subject.module.parameters()).fill_(torch.nan)
    with pytest.raises(InputError) as caught:
        subject.run([()], 0)
    assert caught.value.key == "cause_not_a_number"


def test_an_output_of_another_kind_is_refused() -> None:
    subject = family("BERT")
    trace = ModelTrace({}, subject.calls, 1, {}, (), SimpleNamespace(logits=torch.zeros(1, 2)))
    with pytest.raises(InputError) as caught:
        Subject.of(subject.module, trace)
    assert caught.value.key == "cause_no_output"


def test_one_token() -> None:
    model = load_model("smollm2")
    trace = model.trace("Hi")
    assert len(trace.tokens["decoder"]) == 1
    subject = Subject.of(model.module, trace)
    only = [Intervention("decoder", "self", 3, 2, "edge", 0, 0)]
    off = [Intervention("decoder", "self", 3, 2)]
    blocked, switched = subject.run([only, off], 0)
    assert gap(blocked, switched) < ROUNDING  # its only key is blocked: nothing is left to hand on
