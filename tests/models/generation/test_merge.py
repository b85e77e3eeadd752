"""Pieces of attention put together are the whole, whatever masks they came with."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from models.generation.merge import first_rows, merged, without_keys
from models.masks import sliding_window
from models.pretrained import masking
from models.pretrained.recording import Projected, Recorded, Surroundings

HEADS, SIZE = 2, 3
LINEAR = nn.Linear(4, 4)


def recorded(
    rows: int, first: int = 0, window: int | None = None, kind: str = "none", last: int | None = None
) -> Recorded:
    """Rows `first` … `last` of a made-up call of `rows` tokens, with a mask as a backend would give it."""
    last = rows if last is None else last
    generator = torch.Generator().manual_seed(rows)
    query, key, value = (torch.randn(1, HEADS, rows, SIZE, generator=generator) for _ in range(3))
    source = torch.randn(1, rows, 4, generator=generator)
    own = source[:, first:last]
    seen = torch.ones(rows, rows).tril().bool()
    if window is not None:
        seen &= sliding_window(rows, window)
    mask: Tensor | None = seen[first:last, :last][None, None]
    if kind == "none":
        mask = None
    elif kind == "float":
        mask = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)  # type: ignore[union-attr, operator]
    return Recorded(
        "attention",
        None,
        query[:, :, first:last],
        key[:, :, :last],
        value[:, :, :last],
        scaling=1.0,
        mask=mask,
        causal=mask is None and last - first > 1,
        around=Surroundings((Projected("q", LINEAR, own),), rotations=((own, own),)),
        sample=(torch.tensor([last - first - 1]), torch.zeros(1, 1, HEADS, SIZE)),
    )


def seen_of(call: Recorded) -> Tensor:
    visible = masking.visible(call, 0, 0)
    return (
        torch.ones(call.query.shape[2], call.key.shape[2], dtype=torch.bool) if visible is None else visible
    )


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.sampled_from(["bool", "float", "mixed"]),
    st.integers(1, 6),
    st.data(),
)
def test_pieces_make_the_whole(counts: list[int], kind: str, window: int, data: st.DataObject) -> None:
    rows, pieces, at = sum(counts), [], 0
    for number, count in enumerate(counts):
        own = ("bool", "float")[number % 2] if kind == "mixed" else kind
        pieces.append(recorded(rows, at, window, own, at + count))
        at += count
    whole = recorded(rows, 0, window, "bool")
    found = merged(list(map(without_keys, pieces)), pieces[-1].key, pieces[-1].value)
    assert torch.equal(found.query, whole.query)
    assert torch.equal(found.key, whole.key)
    assert torch.equal(seen_of(found), seen_of(whole))
    assert torch.equal(found.around.linears[0].source, whole.around.linears[0].source)
    assert torch.equal(found.around.rotations[0][0], whole.around.rotations[0][0])
    assert found.sample is not None
    assert found.sample[0][-1] == rows - 1

    kept = data.draw(st.integers(1, rows))
    short = first_rows(found, kept)
    assert torch.equal(seen_of(short), seen_of(whole)[:kept, :kept])
    assert torch.equal(short.query, whole.query[:, :, :kept])
    assert torch.equal(short.around.linears[0].source, whole.around.linears[0].source[:, :kept])
    assert short.sample is not None
    assert bool((short.sample[0] < kept).all())


def test_without_masks_causality_says_it_all() -> None:
    pieces = [recorded(5, 0, last=3), recorded(5, 3, last=4), recorded(5, 4)]
    found = merged(pieces, pieces[-1].key, pieces[-1].value)
    assert found.mask is None
    assert found.causal
    assert torch.equal(seen_of(found), torch.ones(5, 5).tril().bool())
    assert not merged(pieces[:1], pieces[0].key, pieces[0].value).mask


def test_a_prompt_without_a_mask_before_tokens_with_one() -> None:
    """A window is no limit while the text is shorter."""
    pieces = [recorded(6, 0, last=3), recorded(6, 3, 4, "bool", 5), recorded(6, 5, 4, "bool")]
    found = merged(pieces, pieces[-1].key, pieces[-1].value)
    assert torch.equal(seen_of(found), seen_of(recorded(6, 0, 4, "bool")))


def test_another_text_does_not_grow() -> None:
    source = recorded(4)
    pieces = [recorded(3, at, last=at + 1) for at in range(3)]
    found = merged(pieces, source.key, source.value, grows=False)
    assert (found.query.shape[2], found.key.shape[2], found.causal) == (3, 4, False)
    assert bool(seen_of(found).all())
    assert first_rows(found, 2, grows=False).key.shape[2] == 4


def test_what_ran_only_once_stays_as_it_was() -> None:
    """The keys of a source are computed for the first token alone."""
    first = recorded(2, 0, last=1)
    source = torch.randn(1, 7, 4)
    first.around.linears += (Projected("k", LINEAR, source),)
    found = merged([first, recorded(2, 1)], first.key, first.value, grows=False)
    assert [linear.name for linear in found.around.linears] == ["q", "k"]
    assert torch.equal(found.around.linears[1].source, source)


def test_a_table_without_its_like_is_left_out() -> None:
    first, second = recorded(3, 0, last=2), recorded(3, 2)
    second.around.rotations = ((torch.zeros(1, 1, 1, 2),) * 2,)
    assert merged([first, second], second.key, second.value).around.rotations == ()


@pytest.mark.parametrize("missing", [0, 1])
def test_without_samples_there_is_nothing_to_compare(missing: int) -> None:
    pieces = [recorded(3, 0, last=2), recorded(3, 2)]
    object.__setattr__(pieces[missing], "sample", None)
    assert merged(pieces, pieces[1].key, pieces[1].value).sample is None
