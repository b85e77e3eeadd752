"""Samples have the right answers, texts are checked, and nothing uses the global random state."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from models.errors import InputError
from models.training.tasks import IGNORE, TASKS, Batch, Task, task_of
from models.training.tasks.base import END, PAD, START
from models.training.tasks.brackets import Brackets, nested
from models.training.tasks.letters import THEN
from models.training.tasks.number_words import ALWAYS_TRAINED, HELD_OUT, unseen_numbers
from models.transformer.model import Transformer

ALL = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
ANSWERING = pytest.mark.parametrize(
    "task", [t for t in TASKS.values() if t.name != "repeat"], ids=lambda t: t.name
)


def batch_of(task: Task, count: int = 60, seed: int = 0) -> Batch:
    return task.sample(count, torch.Generator().manual_seed(seed))


def text_of(task: Task, row: Tensor) -> str:
    """What was to be read: all before the end, the arrow or the padding; padding in front is left out."""
    symbols = [task.symbols[i] for i in row]
    while symbols[0] == PAD:
        symbols = symbols[1:]
    return "".join(symbols[: next((n for n, s in enumerate(symbols) if s in (END, PAD, THEN)), len(symbols))])


@ANSWERING
def test_labels_are_the_right_answers(task: Task) -> None:
    batch = batch_of(task)
    for ids, labels in zip(batch.ids, batch.labels, strict=True):
        expected = task.answer(text_of(task, ids))
        counted = [int(label) for label in labels if label != IGNORE]
        assert task.decode(counted) == expected
        assert (task.symbols[counted[-1]] == END) == (task.kind != "encoder")


@ANSWERING
def test_texts_are_encoded_as_they_are_sampled(task: Task) -> None:
    batch = batch_of(task)
    for row, ids in enumerate(batch.ids):
        encoded = task.encode(text_of(task, ids))
        assert torch.equal(encoded, ids[: len(encoded)])
        if batch.padded is not None:
            assert torch.equal(batch.padded[row], torch.arange(len(ids)) >= len(encoded))
        if batch.target is not None:
            written = task.encode_target(task.answer(text_of(task, ids)))
            assert torch.equal(written, batch.target[row, : len(written)])


def test_repeat_counts_only_what_can_be_known() -> None:
    task = TASKS["repeat"]
    periods = set()
    for ids, labels in zip(
        *(lambda b: (b.ids.tolist(), b.labels.tolist()))(batch_of(task, 200)), strict=True
    ):
        period = next(p for p in range(1, 64) if ids[p:] == ids[:-p])
        periods.add(period)
        assert len(set(ids[:period])) == period
        assert labels == [IGNORE] * period + ids[period + 1 :] + [IGNORE]
    assert periods == set(range(8, 33))


def test_repeat_answers_with_the_next_block() -> None:
    repeat = TASKS["repeat"]
    assert repeat.answer("abcab") == "cab"
    assert repeat.answer("abc") == "abc"
    assert repeat.answer("aaaa") == "a"
    assert repeat.answer("ab" * 31 + "a") == "b"  # 64 symbols are all there is room for


@ALL
def test_sampling_is_reproducible_and_local(task: Task) -> None:
    state = torch.random.get_rng_state()
    one, same, other = batch_of(task), batch_of(task), batch_of(task, seed=1)
    assert torch.equal(one.ids, same.ids)
    assert torch.equal(one.labels, same.labels)
    assert not torch.equal(one.ids, other.ids)
    assert torch.equal(torch.random.get_rng_state(), state)


@ALL
def test_shortest_and_longest(task: Task) -> None:
    for length in task.lengths:
        sized = task.sized(length)
        batch = batch_of(sized)
        assert sized.config.checked().context >= batch.ids.shape[-1]
        assert int(batch.ids.max()) < len(sized.symbols)
        assert sized.fitting(sized.config).length == length
        model = Transformer(sized.config)
        assert model(batch.ids, batch.target, padded=batch.padded).shape[:2] == batch.labels.shape
        with pytest.raises(InputError, match="from"):
            task.sized(length + (1 if length == task.lengths[1] else -1))


@ALL
def test_the_example_can_be_read(task: Task) -> None:
    assert len(task.encode(task.example)) <= task.config.context
    assert task.answer(task.example)
    assert len(set(task.symbols)) == len(task.symbols)


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("copy", "  ", "task_empty"),
        ("copy", "aBc", "task_symbol"),
        ("copy", "<script>", "task_symbol"),
        ("copy", "👨‍👩‍👧", "task_symbol"),
        ("copy", "a\nb", "task_symbol"),
        ("reverse", "abcdefghijk", "task_too_long"),
        ("repeat", "ab cd", "task_symbol"),
        ("repeat", "ab" * 40, "task_too_long"),
        ("brackets", "(]", "task_brackets"),
        ("brackets", "(()", "task_brackets"),
        ("brackets", ")", "task_brackets"),
        ("words-en", "12345", "task_number"),
        ("words-en", "007", "task_number"),
        ("words-en", "-1", "task_symbol"),
        ("words-zh", "", "task_empty"),
        ("words-zh", "三", "task_symbol"),
    ],
)
def test_texts_that_cannot_be_read(name: str, text: str, key: str) -> None:
    for ask in (TASKS[name].encode, TASKS[name].answer):
        with pytest.raises(InputError) as error:
            ask(text)
        assert error.value.key == key


def test_targets_of_a_translation() -> None:
    english, chinese = TASKS["words-en"], TASKS["words-zh"]
    symbols = [english.symbols[i] for i in english.encode_target("Twenty-one")]
    assert symbols == [START, "twenty", "one"]
    assert len(chinese.encode_target("三千零二十一")) == 7
    with pytest.raises(InputError, match="dog"):
        english.encode_target("one dog")
    with pytest.raises(InputError, match="at most 8"):
        english.encode_target("one " * 9)
    assert (
        TASKS["words-en"].encode("３０２１").tolist() == english.encode("3021").tolist()
    )  # full-width digits


def test_held_out_numbers_are_never_trained_on() -> None:
    task = TASKS["words-en"]
    generator = torch.Generator().manual_seed(0)
    kept = set(unseen_numbers().tolist())
    trained = {int(text_of(task, row)) for row in task.sample(20_000, generator).ids}
    measured = {int(text_of(task, row)) for row in task.sample_unseen(2_000, generator).ids}
    assert len(kept) == HELD_OUT
    assert min(kept) >= ALWAYS_TRAINED
    assert not trained & kept
    assert measured <= kept
    assert len(trained) > 6_000
    assert set(range(ALWAYS_TRAINED)) <= trained


def test_brackets_are_nested_and_deep() -> None:
    lengths = torch.arange(2, 25, 2).repeat(20)
    partner = nested(lengths, 24, torch.Generator().manual_seed(0))
    for length, row in zip(lengths.tolist(), partner.tolist(), strict=True):
        assert row[length:] == [-1] * (24 - length)
        text = "".join("(" if other > place else ")" for place, other in enumerate(row[:length]))
        answer = Brackets(24).answer(text)
        assert answer == " ".join(str(other) for other in row[:length])


def test_sizes_of_another_task() -> None:
    copy = TASKS["copy"]
    for other in ("reverse", "words-en"):
        with pytest.raises(InputError) as error:
            copy.fitting(TASKS[other].config)
        assert error.value.key == "task_config"
    with pytest.raises(InputError) as error:
        task_of("<b>")
    assert error.value.key == "task_unknown"
    assert copy.configured(20, d_model=16, heads=4).context == 21
    with pytest.raises(InputError):
        copy.configured(heads=7)
