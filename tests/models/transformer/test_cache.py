"""The KV cache of our own decoders: the same numbers as reading everything again, whatever is taken back."""

from __future__ import annotations

from typing import Literal

import pytest
import torch
from torch import Tensor

from models.masks import causal
from models.transformer.cache import Cache, visible_behind
from models.transformer.config import Config
from models.transformer.model import Transformer

Which = Literal["decoder", "encoder-decoder"]
IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8]])
SOURCE = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 7]])
PADDED = torch.tensor([[False, False, False, False], [False, False, True, True]])


def model_of(kind: Which, norm: str = "pre", position: str = "learned") -> Transformer:
    sizes = {"vocabulary": 12, "context": 16, "d_model": 16, "heads": 4, "layers": 2, "d_ff": 32}
    return Transformer(Config(kind, norm=norm, position=position, **sizes), seed=3).eval()  # type: ignore[arg-type]


@torch.no_grad()
def whole(model: Transformer, count: int) -> Tensor:
    if model.encoder is None:
        return model(IDS[:, :count])  # type: ignore[no-any-return]
    return model(SOURCE, IDS[:, :count], padded=PADDED)  # type: ignore[no-any-return]


def start(model: Transformer) -> Cache:
    return model.start() if model.encoder is None else model.start(SOURCE, PADDED)


@pytest.mark.parametrize("kind", ["decoder", "encoder-decoder"])
@pytest.mark.parametrize(("norm", "position"), [("pre", "learned"), ("post", "sinusoidal")])
@pytest.mark.parametrize("parts", [(10,), (1,) * 10, (4, 1, 1, 3, 1)])
@torch.no_grad()
def test_reading_in_parts_is_reading_at_once(
    kind: Which, norm: str, position: str, parts: tuple[int, ...]
) -> None:
    model = model_of(kind, norm, position)
    cache, found = start(model), []
    for ids in IDS.split(parts, dim=1):
        logits, cache = model.read(ids, cache)
        found.append(logits)
    assert cache.length == 10
    torch.testing.assert_close(torch.cat(found, 1), whole(model, 10), rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", ["decoder", "encoder-decoder"])
@torch.no_grad()
def test_what_is_taken_back_leaves_no_trace(kind: Which) -> None:
    model = model_of(kind)
    logits, four = model.read(IDS[:, :4], start(model))
    _, other = model.read(IDS[:, 7:], four)
    again, back = model.read(IDS[:, 4:6], other.cropped(4))
    assert (four.length, other.length, back.length) == (4, 7, 6)
    torch.testing.assert_close(torch.cat((logits, again), 1), whole(model, 6), rtol=0, atol=1e-5)
    kept, _ = model.read(IDS[:, 4:6], four)  # the older cache is as it was
    torch.testing.assert_close(kept, again, rtol=0, atol=1e-6)
    _, nothing = model.read(IDS[:, :2], other.cropped(0))
    assert nothing.length == 2


@pytest.mark.parametrize("length", [-1, 5])
def test_a_length_that_is_not_there(length: int) -> None:
    cache = model_of("decoder").read(IDS[:, :4], model_of("decoder").start())[1]
    with pytest.raises(ValueError, match="from 0 to 4"):
        cache.cropped(length)


def test_the_mask_is_the_end_of_the_causal_one() -> None:
    assert torch.equal(visible_behind(5, 3), causal(8)[5:])
    assert torch.equal(visible_behind(0, 4), causal(4))


@torch.no_grad()
def test_only_the_new_rows_are_heard() -> None:
    model = model_of("encoder-decoder")
    heard: list[tuple[str, int]] = []
    cache = model.start(SOURCE, PADDED, heard=lambda a: heard.append((a.kind, a.x.shape[1])))
    assert heard == [("self", 4)] * 2  # the encoder's two layers
    heard.clear()
    _, cache = model.read(IDS[:, :3], cache)
    model.read(IDS[:, 3:4], cache, heard=lambda a: heard.append((a.kind, a.x.shape[1])))
    assert heard == [("self", 1), ("cross", 1)] * 2


def test_nothing_is_read_beyond_the_last_position() -> None:
    model = Transformer(Config("decoder", vocabulary=10, context=4, d_model=8, heads=2, layers=1))
    with pytest.raises(ValueError, match=r"at most 4 positions were expected, received 0 \+ 5"):
        model(torch.arange(5)[None])
    with pytest.raises(ValueError, match=r"received 3 \+ 2"):  # one row is left, which would serve for both
        model.embedding(torch.arange(2)[None], start=3)
