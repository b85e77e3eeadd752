"""Sentences of a given length."""

from __future__ import annotations

from itertools import cycle, islice

from models.tokenizer import tokenize

WORDS = ["The", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "too", "tired"]


def sentence(tokens: int) -> str:
    """A text of exactly `tokens` tokens."""
    text = " ".join(islice(cycle(WORDS), tokens))
    assert len(tokenize(text, limit=tokens + 1)) == tokens
    return text
