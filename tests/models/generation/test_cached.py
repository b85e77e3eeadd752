"""With the cache a text is the same as read all at once: logits, attention, and every number of a head."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
import transformers as hf

from models.generation import Draft, Rule, begin, writer_for
from models.generation.causal import CausalWriter
from models.generation.rerun import RerunTargetWriter, RerunWriter
from models.pretrained import load_model
from models.pretrained.capture import capture_calls
from tests.models.generation.samples import (
    GROUPED,
    TINY,
    TRANSLATORS,
    WITHOUT_CACHE,
    full_logits,
    furthest,
    grown,
    own,
    tiny,
)
from tests.models.pretrained import folders
from tests.models.pretrained.checks import assert_explains
from tests.models.pretrained.folders import save, seeded

TEXT = "the quick brown fox"
CLOSE = 1e-5
HEADS_OF = ("llama", "gpt2")


@pytest.mark.parametrize("name", TINY)
def test_decoders_of_transformers(name: str, tmp_path: Path) -> None:
    model = tiny(name, tmp_path)
    writer = writer_for(model)
    assert isinstance(writer, CausalWriter)
    draft = grown(begin(writer, TEXT), 3, Rule(sampled=True))
    assert draft.trace.calls  # joins what has been caught so far: more is put behind it
    draft = grown(draft, 5, Rule(sampled=True))
    ids = [*draft.prompt.ids, *draft.written]
    assert (full_logits(model, input_ids=ids) - draft.logits).abs().max() < CLOSE
    full = capture_calls(model.module, input_ids=torch.tensor([ids]))
    assert [call.name for call in draft.trace.calls] == [call.name for call in full.calls]
    for found, expected in zip(draft.trace.calls, full.calls, strict=True):
        assert furthest(found, expected) < CLOSE
        assert found.exact
        assert found.query_labels == draft.tokens.labels
    shown = draft.trace.layer(1)
    if name in HEADS_OF:
        again, plain = shown.trace(2), full.calls[1].trace(2)
        assert again.names == plain.names
        for step in again.steps:
            torch.testing.assert_close(step.value, plain[step.name].value, rtol=1e-4, atol=1e-5)
            place = tuple(random.Random(step.name).randrange(size) for size in step.value.shape)
            assert_explains(again, step.name, place)


@pytest.mark.parametrize("name", WITHOUT_CACHE)
def test_a_model_whose_cache_cannot_be_used(name: str, tmp_path: Path) -> None:
    model = tiny(name, tmp_path)
    writer = writer_for(model)
    assert isinstance(writer, RerunWriter)
    draft = grown(begin(writer, TEXT), 4)
    ids = [*draft.prompt.ids, *draft.written]
    assert (full_logits(model, input_ids=ids) - draft.logits).abs().max() < CLOSE
    assert draft.trace.layer(0).queries == draft.rows == len(ids)
    assert draft.back(2).trace.layer(0).queries == len(ids) - 2
    assert draft.rows_computed == draft.rows_without_cache == sum(range(len(ids) - 4, len(ids) + 1))


@pytest.mark.parametrize("name", TRANSLATORS)
def test_other_encoder_decoders(name: str, tmp_path: Path) -> None:
    model = tiny(name, tmp_path)
    writer = writer_for(model)
    assert isinstance(writer, RerunTargetWriter)
    draft = grown(begin(writer, "the fox"), 4)
    source = list(draft.trace.tokens["encoder"].ids)
    ids = [*draft.prompt.ids, *draft.written]
    assert (full_logits(model, input_ids=source, decoder_input_ids=ids) - draft.logits).abs().max() < CLOSE
    cross = draft.trace.layer(0, kind="cross")
    assert (cross.queries, cross.keys) == (5, len(source))
    assert cross.query_labels == draft.tokens.labels
    assert draft.trace.following == draft.tokens.labels[1:]


@pytest.mark.parametrize("name", ["repeat", "sort", "copy", "words-en"])
def test_our_own(name: str) -> None:
    model = own(name)
    draft = grown(begin(writer_for(model), model.task.example), 2)
    assert draft.trace.calls
    draft = grown(draft, 3)
    ids = torch.tensor([[*draft.prompt.ids, *draft.written]])
    source = model.task.encode(model.task.example)[None]
    both = model.module.encoder is not None
    with torch.no_grad():
        logits = model.module(source, ids) if both else model.module(ids)
        layers, _ = model.module.layers(source[0], ids[0]) if both else model.module.layers(ids[0])
    assert (logits[0, -1] - draft.logits).abs().max() < CLOSE
    for found, expected in zip(draft.trace.calls, layers, strict=True):
        place = expected.place
        assert (found.stream, found.kind, found.layer) == (place.stream, place.kind, place.layer)
        for head in range(found.heads):
            weights = expected.trace["weights"].value[head]
            torch.testing.assert_close(found.weights(head), weights, rtol=0, atol=CLOSE)
        assert found.exact
    last = draft.trace.calls[-1]
    assert_explains(last.trace(1), "output", (last.queries - 1, 3))
    assert draft.rows_computed == ids.shape[1] < draft.rows_without_cache


def test_half_precision_has_a_cache_too(tmp_path: Path) -> None:
    model = load_model(save(tmp_path, folders.llama().to(torch.bfloat16)))
    writer = writer_for(model)
    assert isinstance(writer, CausalWriter)
    draft = grown(begin(writer, TEXT), 3)
    assert draft.trace.layer(0).exact
    assert draft.logits.dtype == torch.float32


def test_a_cache_of_another_kind_is_not_trusted(tmp_path: Path) -> None:
    """Layers that carry a state have no keys to keep: the text is read again, and the numbers are right."""
    sizes = {**GROUPED, "num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"]}
    config = hf.Qwen3NextConfig(**sizes, num_experts=2, num_experts_per_tok=1, decoder_sparse_step=4)
    model = load_model(save(tmp_path, seeded(hf.Qwen3NextForCausalLM, config)))
    writer = writer_for(model)
    assert isinstance(writer, RerunWriter)
    draft = grown(begin(writer, TEXT), 2)
    ids = [*draft.prompt.ids, *draft.written]
    assert (full_logits(model, input_ids=ids) - draft.logits).abs().max() < CLOSE


def test_threads_share_a_model(tmp_path: Path) -> None:
    """Texts that grow at the same time do not mix."""
    writer = writer_for(tiny("llama", tmp_path))
    texts = ["the fox", "a lazy dog", "quick", "你好"]

    def write(text: str) -> Draft:
        return grown(begin(writer, text), 12, Rule(sampled=True))

    alone = [write(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(write, texts * 3))
    for found, expected in zip(together, alone * 3, strict=True):
        assert found.written == expected.written
        assert furthest(found.trace.layer(1), expected.trace.layer(1)) < CLOSE
