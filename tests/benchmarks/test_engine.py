from __future__ import annotations

import pytest
import torch

from benchmarks.engine import ask, compare, peer_of
from benchmarks.sentences import sentence
from models.attention import MultiHeadAttention
from models.tokenizer import tokenize


@pytest.mark.parametrize("exact", [True, False])
def test_the_peer_computes_the_same(exact: bool) -> None:
    module, x = MultiHeadAttention(16, 4), torch.randn(5, 16, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        compare(module.trace(x, exact=exact), *ask(peer_of(module), x))


def test_a_peer_with_other_weights_is_noticed() -> None:
    x = torch.randn(5, 16, generator=torch.Generator().manual_seed(0))
    with pytest.raises(AssertionError), torch.no_grad():
        compare(MultiHeadAttention(16, 4).trace(x), *ask(peer_of(MultiHeadAttention(16, 4, seed=1)), x))


@pytest.mark.parametrize("tokens", [1, 12, 64, 256])
def test_sentences_have_their_length(tokens: int) -> None:
    assert len(tokenize(sentence(tokens))) == tokens
