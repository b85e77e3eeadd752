"""The ready models write: what is known of them, and the same numbers as a run over everything."""

from __future__ import annotations

import pytest

from models.generation import Draft, Rule, begin, candidates, writer_for
from models.pretrained import PretrainedModel, load_model
from models.pretrained.model import probabilities
from models.pretrained.own import OwnModel
from tests.models.generation.samples import furthest, grown

CLOSE = 1e-5
HARBOUR = "The ship left the harbour at dawn. The ship left the harbour at"
RED_CAR = "I bought a red car in Lisbon last year."


@pytest.fixture(scope="module")
def smollm2() -> PretrainedModel:
    return load_model("smollm2")


def labels(draft: Draft) -> list[str]:
    return list(draft.tokens.labels[len(draft.prompt.ids) :])


def test_smollm2_goes_on_as_if_it_read_everything_again(smollm2: PretrainedModel) -> None:
    draft = grown(begin(writer_for(smollm2), HARBOUR), 9)
    assert labels(draft)[:4] == ["␣dawn", ".", "␣The", "␣ship"]
    full = smollm2.trace(smollm2.tokenizer.decode([*draft.prompt.ids, *draft.written]))
    assert full.tokens["decoder"].ids == draft.tokens.ids
    shares = draft.logits.softmax(-1)
    assert (shares - probabilities(full)).abs().max() < CLOSE
    for found, expected in zip(draft.trace.calls, full.calls, strict=True):
        assert furthest(found, expected) < CLOSE
    step = draft.trace.layer(18).trace(6)
    assert {"query_rotated", "key_rotated"} <= set(step.names)
    assert draft.trace.layer(18).exact
    assert (draft.rows_computed, draft.rows_without_cache) == (23, sum(range(14, 24)))


def test_smollm2_knows_the_capital(smollm2: PretrainedModel) -> None:
    found = candidates(begin(writer_for(smollm2), "The capital of France is").logits)
    assert smollm2.tokenizer.decode(found.ids[0]) == " Paris"
    assert found.probabilities[0] == pytest.approx(0.77, abs=0.01)


def test_smollm2_writes_chinese_in_bytes(smollm2: PretrainedModel) -> None:
    draft = begin(writer_for(smollm2), "你好")
    for token in smollm2.tokenizer("，世界")["input_ids"]:
        draft = draft.write(token)
    assert draft.tokens.labels[0].startswith("你")
    assert any(label.startswith("世") for label in labels(draft))
    assert "�" not in "".join(draft.tokens.labels)


def test_the_translation_word_by_word() -> None:
    model = load_model("en-pt")
    full = model.trace(RED_CAR)
    draft = begin(writer_for(model), RED_CAR)
    while not draft.ended:
        draft = draft.next(Rule())
        assert draft.trace.layer(1, kind="cross").queries == draft.rows
    assert labels(draft) == list(full.following or ())
    assert draft.trace.following == full.following
    assert draft.trace.tokens["decoder"] == full.tokens["decoder"]
    for found, expected in zip(draft.trace.calls, full.calls, strict=True):
        assert furthest(found, expected) < CLOSE
        assert (found.query_labels, found.key_labels) == (expected.query_labels, expected.key_labels)
    assert "contribution" in draft.trace.layer(1, kind="cross").trace(0).names
    again = begin(writer_for(model), RED_CAR).moved(draft.written)
    assert again.written == draft.written
    assert (again.back(3).logits - draft.back(3).logits).abs().max() < CLOSE


@pytest.mark.parametrize(("name", "text"), [("words-en", "3021"), ("words-zh", "3021"), ("words-en", "7")])
def test_our_own_translators_answer_word_by_word(name: str, text: str) -> None:
    model = load_model(name)
    assert isinstance(model, OwnModel)
    draft = begin(writer_for(model), text)
    while not draft.ended:
        draft = draft.next(Rule())
    assert model.task.decode(draft.written) == model.task.answer(text)
    full = model.trace(text)
    assert draft.trace.following == full.following
    for found, expected in zip(draft.trace.calls, full.calls, strict=True):
        assert furthest(found, expected) < CLOSE
        assert (found.query_labels, found.key_labels) == (expected.query_labels, expected.key_labels)


def test_our_own_decoder_goes_on_with_what_repeats() -> None:
    model = load_model("repeat")
    assert isinstance(model, OwnModel)
    text = model.task.example
    draft = grown(begin(writer_for(model), text), 8)
    answer = model.task.answer(text)
    assert "".join(labels(draft)) == answer[:8]
    assert draft.moved(draft.back(3).written).written == draft.written[:5]
