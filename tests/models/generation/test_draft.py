"""Writing, taking back, choosing another way, and where a text ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from models.errors import InputError
from models.generation import Draft, Rule, begin, writer_for, writes
from models.generation.draft import AT_ONCE, KEPT
from models.generation.writer import SENTENCES
from models.pretrained import load_model
from tests.models.generation.samples import furthest, grown, own, tiny
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save
from tests.models.pretrained.test_labels import HOSTILE

CLOSE = 1e-5
SAMPLED = Rule(sampled=True, temperature=1.5, seed=3)
KINDS = ("llama", "bloom", "marian", "repeat", "copy")


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Draft]:
    """A fresh draft of a small model."""
    made: dict[str, Draft] = {}

    def get(name: str) -> Draft:
        if name not in made:
            ours = name in ("repeat", "copy", "sort")
            model = own(name) if ours else tiny(name, tmp_path_factory.mktemp(name))
            text = "abcab" if ours else "the fox"
            made[name] = begin(writer_for(model), text)
        return made[name]

    return get


def assert_same(found: Draft, expected: Draft) -> None:
    assert found.written == expected.written
    assert found.rows == expected.rows
    torch.testing.assert_close(found.logits, expected.logits, rtol=0, atol=CLOSE)
    torch.testing.assert_close(
        torch.tensor(found.chances), torch.tensor(expected.chances), rtol=0, atol=CLOSE
    )
    assert found.tokens.labels == expected.tokens.labels
    for ours, theirs in zip(found.trace.calls, expected.trace.calls, strict=True):
        assert furthest(ours, theirs) < CLOSE


@pytest.mark.parametrize("name", KINDS)
def test_back_and_forth_again(name: str, start: Callable[[str], Draft]) -> None:
    before = grown(start(name), 2)
    after = grown(before, 3)
    assert_same(after.back(3), before)
    assert_same(grown(after.back(3), 3), after)
    assert_same(grown(after.back(99), 5), after)
    assert after.back(99).written == ()
    assert_same(before, grown(start(name), 2))  # nobody's draft was changed


@pytest.mark.parametrize("name", KINDS)
def test_another_way_from_the_same_place(name: str, start: Callable[[str], Draft]) -> None:
    draft = grown(start(name), 4)
    other = next(token for token in range(6, 20) if token != draft.written[2])
    branch = draft.back(2).write(other)
    assert branch.written == (*draft.written[:2], other)
    assert_same(branch, start(name).write(draft.written[0]).write(draft.written[1]).write(other))
    assert_same(draft, grown(start(name), 4))


@pytest.mark.parametrize("name", KINDS)
def test_a_text_opened_again(name: str, start: Callable[[str], Draft]) -> None:
    draft = grown(start(name), 7, SAMPLED)
    assert_same(start(name).moved(draft.written), draft)
    assert_same(draft.back(4).moved(draft.written), draft)
    changed = (*draft.written[:3], 7, 8, 9)
    assert_same(draft.moved(changed), start(name).moved(changed))


def test_far_back(start: Callable[[str], Draft]) -> None:
    """Further than the logits that are kept, and longer than one pass."""
    draft = grown(start("llama"), KEPT + 8, SAMPLED)
    for count in (KEPT - 1, KEPT, KEPT + 1, KEPT + 8):
        assert_same(draft.back(count), start("llama").moved(draft.written[: len(draft.written) - count]))
    one = begin(start("llama").writer, "x")
    assert len(one.prompt.ids) == 1
    long = one.moved([7] * (AT_ONCE - 3))
    torch.testing.assert_close(long.back(99).logits, one.logits, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("name", ["llama", "copy"])
def test_a_seed_gives_the_same_text_whatever_was_clicked(name: str, start: Callable[[str], Draft]) -> None:
    straight = grown(start(name), 6, SAMPLED)
    wandering = grown(start(name), 2, SAMPLED)
    wandering = grown(grown(wandering, 3, Rule()).back(3), 4, SAMPLED)
    assert wandering.written == straight.written
    texts = {grown(start(name), 6, Rule(True, 1.5, seed)).written for seed in range(6)}
    assert len(texts) > 3


def test_greedy_takes_the_likeliest(start: Callable[[str], Draft]) -> None:
    draft = start("llama")
    for _ in range(4):
        likeliest = int(draft.logits.argmax())
        draft = draft.next(Rule(temperature=3))
        assert draft.written[-1] == likeliest
        assert draft.chances[-1] > 1 / 400


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        act()
    return caught.value.key


@pytest.mark.parametrize("name", ["llama", "marian", "copy"])
def test_the_end(name: str, start: Callable[[str], Draft]) -> None:
    draft = grown(start(name), 2)
    ended = draft.write(min(draft.writer.ends))
    assert ended.ended
    assert ended.rows == draft.rows
    assert ended.trace.layer(0).queries == draft.trace.layer(0).queries
    assert ended.tokens.labels[:-1] == draft.tokens.labels
    assert refused(lambda: ended.next(Rule())) == "grow_ended"
    assert refused(lambda: ended.write(5)) == "grow_ended"
    assert refused(lambda: ended.moved((*ended.written, 5))) == "grow_ended"
    assert refused(lambda: ended.logits) == "grow_ended"
    assert_same(ended.back(), draft)
    assert start(name).moved(ended.written).ended


@pytest.mark.parametrize("name", ["llama", "marian", "repeat", "copy"])
def test_the_context_is_full(name: str, start: Callable[[str], Draft]) -> None:
    draft = start(name)
    room = draft.writer.room - len(draft.prompt.ids)
    full = draft.moved([7] * room)
    assert full.full
    assert full.trace.layer(0).queries == draft.writer.room
    for act in (lambda: full.next(Rule()), lambda: full.write(7), lambda: draft.moved([7] * (room + 3))):
        assert refused(act) == "grow_full"
    assert not full.back().full


@pytest.mark.parametrize("name", ["llama", "bloom", "marian", "copy"])
def test_tokens_that_do_not_exist(name: str, start: Callable[[str], Draft]) -> None:
    draft = start(name)
    for token in (-1, draft.writer.vocabulary, 10**9):
        assert refused(lambda: draft.write(token)) == "grow_not_a_token"  # noqa: B023
        assert refused(lambda: draft.moved((7, token, 8))) == "grow_not_a_token"  # noqa: B023


def test_prompts_that_cannot_be_used(start: Callable[[str], Draft]) -> None:
    writer = start("llama").writer
    assert refused(lambda: begin(writer, "")) == "empty_text"
    assert refused(lambda: begin(writer, "a" * 64)) == "grow_prompt_too_long"
    assert begin(writer, "a" * 63).next(Rule()).full
    assert refused(lambda: begin(start("repeat").writer, "a" * 64)) == "grow_prompt_too_long"
    assert refused(lambda: begin(start("copy").writer, " ")) == "task_empty"
    assert refused(lambda: begin(start("copy").writer, "A")) == "task_symbol"


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_can_be_gone_on_with(text: str, start: Callable[[str], Draft]) -> None:
    draft = grown(begin(start("llama").writer, text), 2)
    assert draft.trace.layer(1).query_labels == draft.tokens.labels
    assert draft.tokens.ids == (*draft.prompt.ids, *draft.written)
    assert all(draft.tokens.labels)


def test_bytes_of_one_character_become_one(start: Callable[[str], Draft]) -> None:
    """A Chinese character comes in three tokens: known only when it is whole."""
    writer = start("llama").writer
    whole = begin(writer, "你好")
    labels = whole.tokens.labels
    assert labels[0] == "你 1/3"
    draft = begin(writer, "你")
    for token, label in zip(whole.prompt.ids[3:], ("⟨E5⟩", "⟨A5⟩", "3/3"), strict=True):
        draft = draft.write(token)
        assert draft.tokens.labels[-1] == label
    assert draft.tokens.labels == labels


def test_who_writes(start: Callable[[str], Draft], tmp_path: Path) -> None:
    reader = load_model(save(tmp_path, folders.bert(), "wordpiece"))
    assert not writes(reader)
    assert not writes(own("reverse"))
    assert refused(lambda: writer_for(reader)) == "model_does_not_write"
    assert writer_for(own("copy")) is writer_for(own("copy"))


def test_the_sentences() -> None:
    assert [key for key, text in SENTENCES.items() if text.count(".") < 2] == []
