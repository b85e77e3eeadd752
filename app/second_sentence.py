"""A second sentence to compare with: the first one with one word replaced by a word that makes a difference."""

from __future__ import annotations

import unicodedata

from models.settings import MAX_TOKENS
from models.tokenizer import tokenize

# "tired" → "wide" turns "it" from the animal into the street: the classic pair (Winograd schema challenge, 2012)
_SWAPS = {"tired": "wide", "wide": "tired", "nlp": "music", "苹果": "香蕉", "香蕉": "苹果"}
_CHINESE, _LATIN = "苹果", "apples"


def suggest(text: str) -> str:
    """`text` with its last replaceable word replaced; "" if it has no word."""
    words = [token for token in tokenize(text, limit=MAX_TOKENS) if token.kind == "word"]
    if not words:
        return ""
    known = [word for word in words if word.text.lower() in _SWAPS]
    chosen = (known or words)[-1]
    other = _SWAPS.get(chosen.text.lower()) or _stranger(chosen.text, words[0].text)
    return text[: chosen.start] + other + text[chosen.end :]


def _stranger(word: str, first: str) -> str:
    """A word of the same script; where we know none, the sentence's first word."""
    script = unicodedata.name(word[0], "").split()[0]
    if script == "CJK":
        return _CHINESE
    if script == "LATIN":
        return _LATIN if word.lower() != _LATIN else "music"
    return first
