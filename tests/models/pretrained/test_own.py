"""Transformers trained here, behind the surface of pretrained models."""

from __future__ import annotations

import itertools

import pytest
import torch

from models.errors import InputError
from models.pretrained.own import OwnModel
from models.pretrained.own_calls import run
from models.pretrained.own_trace import layer_trace
from models.training.tasks import TASKS
from models.transformer.model import Transformer
from tests.models.pretrained.checks import assert_explains


def own(name: str) -> OwnModel:
    task = TASKS[name]
    return OwnModel(Transformer(task.config, seed=3), task, name=name, source="a test")


@pytest.mark.parametrize("name", TASKS)
def test_every_attention_is_a_call_that_agrees_with_the_model(name: str) -> None:
    model = own(name)
    trace = model.trace(model.task.example)
    assert len(trace.calls) == len(model.module.places())
    for call, place in zip(trace.calls, model.module.places(), strict=True):
        assert (call.stream, call.kind, call.layer) == (place.stream, place.kind, place.layer)
        assert call.exact
        assert call.query_labels is not None
        assert (len(call.query_labels), len(call.key_labels or ())) == (call.queries, call.keys)


@pytest.mark.parametrize("name", ["copy", "sort", "brackets"])
def test_every_cell_can_be_taken_apart(name: str) -> None:
    model = own(name)
    for call in model.trace(model.task.example).calls:
        trace = call.trace(1)
        assert {"query", "scores", "weights", "head_output", "contribution", "output"} <= set(trace.names)
        for step in trace.steps:
            for index in list(itertools.product(*map(range, step.value.shape)))[::7]:
                assert_explains(trace, step.name, index)


@pytest.mark.parametrize("name", ["copy", "repeat"])
def test_what_the_heads_write_sums_to_the_output(name: str) -> None:
    model = own(name)
    for call in model.trace(model.task.example).calls:
        layer = layer_trace(call)
        assert layer is not None
        written = torch.stack([call.contribution(head) for head in range(call.heads)]).sum(0)
        torch.testing.assert_close(written, layer["output"].value, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["copy", "reverse", "repeat"])
def test_the_stage_s_trace_has_the_call_s_weights_and_names(name: str) -> None:
    model = own(name)
    for call in model.trace(model.task.example).calls:
        layer = layer_trace(call)
        assert layer is not None
        assert layer.labels("query") == call.query_labels
        assert layer.labels("key") == call.key_labels
        for head in range(call.heads):
            torch.testing.assert_close(layer["weights"].value[head], call.weights(head), rtol=1e-5, atol=1e-6)


def test_the_logits_are_the_model_s() -> None:
    model = own("words-en")
    trace = model.trace("3021", target="three thousand twenty-one")
    ids = model.task.encode("3021")
    target = model.task.encode_target("three thousand twenty-one")
    torch.testing.assert_close(trace.output.logits[0], model.module(ids[None], target[None])[0])
    assert trace.tokens["decoder"].labels == ("▶", "three", "thousand", "twenty", "one")
    assert trace.following == ("three", "thousand", "twenty", "one", "■")
    assert trace.layer(1, "decoder", "cross").weights(0).shape == (5, 5)


def test_without_a_target_it_writes_greedily_and_never_past_its_context() -> None:
    model = own("words-zh")
    trace = model.trace("9999")
    written = trace.tokens["decoder"].ids
    assert 1 <= len(written) <= model.module.config.context
    calls, logits = run(model.module, model.task.encode("9999").tolist(), list(written))
    assert trace.following == tuple(model.task.symbols[int(row.argmax())] for row in logits)
    assert len(calls) == len(trace.calls)


@pytest.mark.parametrize(
    ("name", "text", "target", "key"),
    [
        ("repeat", "", None, "task_empty"),
        ("repeat", "a b", None, "task_symbol"),
        ("repeat", "a" * 65, None, "task_too_long"),
        ("words-en", "12345", None, "task_number"),
        ("words-en", "12", "twelve monkeys", "task_words"),
        ("repeat", "abab", "x", "model_no_target"),
        ("reverse", "abc", "x", "model_no_target"),
    ],
)
def test_what_it_cannot_read_is_said(name: str, text: str, target: str | None, key: str) -> None:
    with pytest.raises(InputError) as caught:
        own(name).trace(text, target=target)
    assert caught.value.key == key


def test_a_pair_is_refused() -> None:
    with pytest.raises(InputError, match="one text"):
        own("repeat").trace("ab", "cd")


def test_facts() -> None:
    info = own("words-en").info
    assert info.layers == {("encoder", "self"): 2, ("decoder", "self"): 2, ("decoder", "cross"): 2}
    assert info.parameters == sum(p.numel() for p in own("words-en").module.parameters())
