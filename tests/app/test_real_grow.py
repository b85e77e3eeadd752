"""What the page of growing text is made of: the address, the texts that are kept, a reader's blinkers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.labs.knobs import KNOBS
from app.languages import locale
from app.trained.grow import ids as grow_ids
from app.trained.grow.readers import later_share, looking_back
from app.trained.grow.shelf import Shelf, size
from models.generation import Draft, Rule, begin, writer_for
from models.generation.choice import SEEDS, TEMPERATURES
from models.generation.writer import SENTENCES
from tests.models.generation.samples import grown, own, tiny
from tests.models.training.test_problems import with_plurals


@given(st.lists(st.integers(0, 64**4 - 1), max_size=60))
def test_written_tokens_in_the_address(ids: list[int]) -> None:
    text = grow_ids.encode(ids)
    assert grow_ids.decode(text) == tuple(ids)
    assert KNOBS["w_ids"].read(text) == text
    assert len(text) <= 1 + 4 * len(ids)


def test_the_address_of_a_long_text_is_short() -> None:
    text = grow_ids.encode([49_151] * 1280)
    assert len(text) < KNOBS["w_ids"].high
    assert len(grow_ids.encode([5] * 60)) == 61


@pytest.mark.parametrize("text", ["3AB", "2A*", "0A", "9AAAA", "2", "xAB", "²AB"])
def test_an_address_that_says_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="no text of written tokens"):
        grow_ids.decode(text)


@pytest.mark.parametrize("ids", [[-1], [64**4]])
def test_numbers_that_no_vocabulary_has(ids: list[int]) -> None:
    with pytest.raises(ValueError, match="numbers from 0"):
        grow_ids.encode(ids)


def test_the_knobs_have_the_bounds_of_the_rule() -> None:
    assert (KNOBS["w_temp"].low, KNOBS["w_temp"].high) == TEMPERATURES
    assert (KNOBS["w_seed"].low, KNOBS["w_seed"].high) == SEEDS
    assert Rule(temperature=KNOBS["w_temp"].default, seed=KNOBS["w_seed"].default) == Rule()  # type: ignore[arg-type]
    assert KNOBS["w_ids"].pattern == grow_ids.PATTERN


def test_the_sentences_are_those_of_the_locale() -> None:
    assert {key: with_plurals(locale("en")["errors"][key]) for key in SENTENCES} == SENTENCES


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    folder: Path = tmp_path_factory.mktemp("llama")
    return begin(writer_for(tiny("llama", folder)), "the fox")


class Counting:
    """Begins a draft, and counts how often."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.times = draft, 0

    def __call__(self) -> Draft:
        self.times += 1
        return self.draft


def test_a_click_is_one_step(start: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    original = type(start.writer).read

    def counted(self: object, state: object, ids: tuple[int, ...]) -> object:
        read.append(len(ids))
        return original(self, state, ids)  # type: ignore[arg-type]

    monkeypatch.setattr(type(start.writer), "read", counted)
    shelf, fresh = Shelf(10**9), Counting(start)
    six = grown(start, 6)
    shelf.put("a", six)
    read.clear()
    assert shelf.get("a", six.written, fresh).written == six.written
    assert shelf.get("a", six.written[:3], fresh).written == six.written[:3]
    assert read == []
    other = (*six.written[:4], 9)
    assert shelf.get("a", other, fresh).written == other
    assert read == [1]
    assert (fresh.times, len(shelf)) == (0, 2)


def test_only_the_longer_of_two_is_kept(start: Draft) -> None:
    shelf = Shelf(10**9)
    six = grown(start, 6)
    for draft in (start, six.back(2), six, six.back(3)):
        shelf.put("a", draft)
    assert len(shelf) == 1
    shelf.put("b", start)
    assert len(shelf) == 2
    fresh = Counting(start)
    shelf.get("c", (), fresh)
    assert fresh.times == 1


def test_the_oldest_goes_when_there_is_no_room(start: Draft) -> None:
    six = grown(start, 6)
    shelf = Shelf(2 * size(six))
    for key in "abc":
        shelf.put(key, six)
    assert len(shelf) == 2
    gone, there = Counting(start), Counting(start)
    assert shelf.get("c", six.written, there).written == six.written
    assert shelf.get("a", (), gone) is start
    assert (there.times, gone.times) == (0, 1)
    tiny_room = Shelf(1)
    tiny_room.put("a", six)
    assert len(tiny_room) == 1  # the newest is kept, however large


def test_size_grows_with_the_rows(start: Draft) -> None:
    assert 0 < size(start) < size(grown(start, 3))
    ours = begin(writer_for(own("copy")), "abc")
    assert size(ours) > 0


@given(st.integers(1, 12), st.integers(0, 999))
def test_a_reader_that_could_only_look_back(count: int, seed: int) -> None:
    scores = torch.randn(count, count, generator=torch.Generator().manual_seed(seed))
    masked = scores.masked_fill(torch.ones(count, count).triu(1).bool(), -torch.inf).softmax(-1)
    weights = scores.softmax(-1)
    torch.testing.assert_close(looking_back(weights), masked)
    assert later_share(masked) == 0
    assert later_share(weights) == pytest.approx(
        sum(float(weights[i, j]) for i in range(count) for j in range(i + 1, count)) / count, abs=1e-6
    )


def test_nothing_to_look_back_at() -> None:
    assert looking_back(torch.tensor([[0.0, 1.0], [0.0, 1.0]])).tolist() == [[0, 0], [0, 1]]
