"""The samples of the ready models, and the heads that are known in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from models.head_roles import Scores, finished, role_of
from models.head_roles.samples import (
    NATURAL,
    PERIOD,
    REPEAT,
    SENTENCES,
    TASK,
    Measured,
    measure_sample,
    repeated_tokens,
    sample_texts,
    samples_of,
)
from models.pretrained import OwnModel, PretrainedModel, load_model
from models.training.tasks import TASKS
from models.transformer.model import Transformer
from tests.models.pretrained import folders


def ready(name: str) -> PretrainedModel:
    model = load_model(name)
    assert isinstance(model, PretrainedModel)
    return model


@cache
def measured(name: str, sample: str) -> Measured:
    return measure_sample(ready(name), sample)


def layers_of(name: str, sample: str, stream: str, kind: str = "self") -> list[Scores]:
    return [finished(tally) for tally in measured(name, sample).stacks[stream, kind]]


def best(layers: list[Scores], measure: str) -> tuple[int, int]:
    """Layer and head with the highest score."""
    places = [
        (layer, head) for layer, scores in enumerate(layers) for head in range(len(scores.values[measure]))
    ]
    return max(places, key=lambda place: layers[place[0]].value(measure, place[1]) or 0)


def test_the_known_heads_of_smollm2() -> None:
    layers = layers_of("smollm2", REPEAT, "decoder")
    assert best(layers, "induction") == (18, 6)
    assert layers[18].value("induction", 6) == pytest.approx(0.90, abs=0.05)
    assert layers[16].value("previous", 0) == pytest.approx(0.90, abs=0.05)
    assert [role.name for role in (role_of(layers[18], 6), role_of(layers[16], 0)) if role] == [
        "induction",
        "previous",
    ]
    assert "next" not in layers[0].values  # a causal model sees no next token


def test_the_known_heads_of_minilm() -> None:
    for sample in (REPEAT, SENTENCES):
        layers = layers_of("minilm", sample, "encoder")
        assert best(layers, "previous") == (0, 2)
        assert (layers[0].value("previous", 2) or 0) > 0.98
        assert best(layers, "next") == (1, 8)


def test_the_translator_s_alignment_head() -> None:
    layers = layers_of("en-pt", SENTENCES, "decoder", "cross")
    assert best(layers, "diagonal") == (1, 0)
    assert "previous" not in layers[0].values
    assert len(layers_of("en-pt", SENTENCES, "encoder")) == 6


@pytest.mark.parametrize("name", ["smollm2", "minilm"])
def test_random_tokens_come_exactly_twice(name: str) -> None:
    text = repeated_tokens(ready(name), 3)
    assert text is not None
    tokens = next(iter(ready(name).trace(text).tokens.values()))
    ids = [token.id for token in tokens.pieces if not token.special]
    assert len(ids) == 2 * PERIOD
    assert ids[:PERIOD] == ids[PERIOD:]
    assert len(set(ids)) == PERIOD


def test_a_sample_is_always_the_same_and_seeds_differ() -> None:
    model = ready("smollm2")
    assert sample_texts(model, REPEAT) == sample_texts(model, REPEAT)
    assert len(set(sample_texts(model, REPEAT))) == 2
    assert set(sample_texts(model, SENTENCES)) == set(NATURAL)


def test_what_a_model_cannot_read_is_left_out() -> None:
    assert measured("smollm2", SENTENCES).texts == NATURAL
    assert measured("minilm", SENTENCES).texts == NATURAL[:4]  # it knows no Chinese
    assert measured("smollm2", REPEAT).tokens == 4 * PERIOD


def test_which_samples_suit_a_model() -> None:
    assert [samples_of(ready(name)) for name in ("smollm2", "minilm", "en-pt")] == [
        (REPEAT, SENTENCES), (REPEAT, SENTENCES), (SENTENCES,)
    ]  # fmt: skip


def test_progress_goes_up_to_the_end() -> None:
    told: list[float] = []
    measure_sample(ready("minilm"), SENTENCES, told.append)
    assert told == [number / 8 for number in range(1, 9)]


@pytest.mark.parametrize("make", [folders.llama, folders.bert, folders.bloom, folders.t5])
def test_small_folders_of_any_kind(make: object, tmp_path: Path) -> None:
    model = load_model(folders.save(tmp_path, make()))  # type: ignore[operator]
    for sample in samples_of(model):
        found = measure_sample(model, sample)
        for layers in found.stacks.values():
            for tally in layers:
                scores = finished(tally)
                assert all(scores.value(name, 0) is not None for name in scores.values)


@pytest.mark.parametrize("name", TASKS)
def test_a_model_of_ours_is_measured_on_its_own_task(name: str) -> None:
    task = TASKS[name]
    model = OwnModel(Transformer(task.config, seed=1), task, name=name, source="test")
    assert samples_of(model) == (TASK,)
    found = measure_sample(model, TASK)
    assert len(found.texts) > 5
    assert found.texts == measure_sample(model, TASK).texts == sample_texts(model, TASK)
    assert set(found.stacks) == set(model.info.layers)
    for stack, layers in found.stacks.items():
        assert len(layers) == model.info.layers[stack]
        assert all({"entropy", "first"} <= set(finished(tally).values) for tally in layers)


def test_the_shipped_model_of_repeats_has_induction_heads() -> None:
    layers = [
        finished(tally) for tally in measure_sample(load_model("repeat"), TASK).stacks["decoder", "self"]
    ]
    layer, head = best(layers, "induction")
    assert layer == 1  # it takes a layer that first looks at the token before
    assert (layers[layer].value("induction", head) or 0) >= 0.7
