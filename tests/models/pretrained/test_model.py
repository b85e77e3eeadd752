"""Tracing a text: streams and their labels, limits, pairs, targets, and threads that share a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from models.errors import InputError
from models.explain import explain
from models.pretrained import PretrainedModel, load_model
from models.pretrained.loading import unload_models
from models.pretrained.words import merge_words
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save
from tests.models.pretrained.test_labels import HOSTILE


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PretrainedModel]:
    yield load_model(save(tmp_path_factory.mktemp("decoder"), folders.llama()))
    unload_models()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> PretrainedModel:
    return load_model(save(tmp_path_factory.mktemp("encoder"), folders.bert(), "wordpiece"))


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> PretrainedModel:
    return load_model(save(tmp_path_factory.mktemp("translator"), folders.marian(), "metaspace"))


def refused(model: PretrainedModel, *args: str, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        model.trace(*args, **options)  # type: ignore[arg-type]
    return caught.value.key


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_can_be_traced(text: str, decoder: PretrainedModel, encoder: PretrainedModel) -> None:
    for model in (decoder, encoder):
        trace = model.trace(text)
        (tokens,) = trace.tokens.values()
        assert trace.layer(1).query_labels == tokens.labels
        merged = merge_words(trace.layer(0).weights(0), tokens.groups)
        assert merged.shape == (len(tokens.groups),) * 2
        assert torch.allclose(merged.sum(-1), torch.ones(len(merged)), atol=1e-5)


def test_empty_text(decoder: PretrainedModel, encoder: PretrainedModel, translator: PretrainedModel) -> None:
    assert refused(decoder, "") == "empty_text"
    for text in ("", " ", "\n\t"):
        assert refused(encoder, text) == "empty_text"
    assert refused(translator, "") == "empty_text"


def test_one_token(decoder: PretrainedModel) -> None:
    assert decoder.trace("x").layer(0).weights(0).tolist() == [[1.0]]


def test_what_is_beyond_the_positions_is_cut_and_counted(
    decoder: PretrainedModel, encoder: PretrainedModel
) -> None:
    trace = decoder.trace("a" * 100)
    assert (len(trace.tokens["decoder"]), trace.tokens["decoder"].cut) == (64, 36)
    trace = encoder.trace("a fox " * 100, limit=9)
    assert len(trace.tokens["encoder"]) == 9
    assert trace.tokens["encoder"].labels[-1] == "[SEP]"
    assert trace.tokens["encoder"].cut > 100


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_very_small_limit(limit: int, decoder: PretrainedModel) -> None:
    assert len(decoder.trace("a fox", limit=limit).tokens["decoder"]) == limit


def test_limits_that_make_no_sense(decoder: PretrainedModel, encoder: PretrainedModel) -> None:
    assert refused(decoder, "a", limit=0) == "out_of_range"
    assert refused(encoder, "a", limit=2) == "out_of_range"  # no room beside [CLS] and [SEP]


def test_pairs_are_for_encoders(
    decoder: PretrainedModel, encoder: PretrainedModel, translator: PretrainedModel
) -> None:
    tokens = encoder.trace("the fox", "the quick").tokens["encoder"]
    assert {0, 1} <= set(tokens.pair_of)
    assert (
        encoder.trace("the fox", " ").tokens["encoder"].labels
        == encoder.trace("the fox").tokens["encoder"].labels
    )
    assert encoder.takes_pairs
    assert refused(decoder, "a", "b") == "model_no_pairs"
    assert refused(translator, "a", "b") == "model_no_pairs"


def test_a_target_is_for_encoder_decoders(decoder: PretrainedModel, encoder: PretrainedModel) -> None:
    assert refused(decoder, "a", target="b") == "model_no_target"
    assert refused(encoder, "a", target="b") == "model_no_target"


def test_the_target_is_read_one_behind(translator: PretrainedModel) -> None:
    trace = translator.trace("the quick fox", target="brown fox")
    written = trace.following
    assert written is not None
    assert written[-1] == "</s>"
    assert trace.tokens["decoder"].labels[1:] == written[:-1]
    assert trace.tokens["decoder"].special[0]
    call = trace.layer(0, kind="cross")
    assert call.query_labels == trace.tokens["decoder"].labels
    assert call.key_labels == trace.tokens["encoder"].labels
    assert call.weights(0).shape == (len(written), len(trace.tokens["encoder"]))


def test_without_a_target_the_model_writes(translator: PretrainedModel) -> None:
    trace = translator.trace("the fox", limit=12)
    assert trace.following is not None
    assert 1 <= len(trace.following) <= 12
    assert trace.tokens["decoder"].labels[1:] == trace.following[:-1]


def test_main_names_the_only_stack(decoder: PretrainedModel) -> None:
    trace = decoder.trace("the fox")
    assert trace.layer(1, "main") is trace.layer(1)


def test_a_layer_that_is_not_there(translator: PretrainedModel) -> None:
    trace = translator.trace("a", target="b")
    assert trace.layer(1, stream="encoder").stream == "encoder"
    assert trace.layer(0).stream == "decoder"
    with pytest.raises(KeyError, match="encoder self: 0–1; decoder self: 0"):
        trace.layer(2, stream="encoder")


def test_tokens_of_another_model_are_refused(tmp_path: Path) -> None:
    model = load_model(save(tmp_path, folders.llama(vocab_size=260)))
    assert max(model.encoder.encode("the quick brown fox", limit=50).ids) >= 260
    assert refused(model, "the quick brown fox") == "model_tokenizer_differs"


def test_cells_can_be_explained(translator: PretrainedModel) -> None:
    trace = translator.trace("the quick fox", target="brown fox")
    for call in trace.calls:
        head = call.trace(call.heads - 1)
        for step in head.steps:
            index = tuple(size - 1 for size in step.value.shape)
            assert explain(head, step.name, index).evaluate() == pytest.approx(
                float(step.value[index]), abs=1e-6
            )


def test_threads_do_not_mix(decoder: PretrainedModel, translator: PretrainedModel) -> None:
    texts = [f"{'fox ' * (number + 1)}{number}" for number in range(8)]
    alone = {
        (model, text): model.trace(text).layer(0).weights(1)
        for model in (decoder, translator)
        for text in texts
    }
    wrong: list[str] = []

    def work(text: str) -> None:
        for _ in range(3):
            for model in (decoder, translator):
                found = model.trace(text).layer(0).weights(1)
                # another thread may use another kernel; another text would be another shape or far away
                if found.shape != alone[model, text].shape or not torch.allclose(
                    found, alone[model, text], atol=1e-5
                ):
                    wrong.append(text)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
