"""The written tokens as a short text for the address: a digit, and as many letters for each token's number. Pure."""

from __future__ import annotations

import string
from collections.abc import Sequence

LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"  # as in base64 for addresses
WIDEST = 4  # letters per token: 64⁴ tokens are more than any vocabulary has
PATTERN = rf"([1-{WIDEST}][A-Za-z0-9_-]+)?"

_VALUES = {letter: value for value, letter in enumerate(LETTERS)}


def encode(ids: Sequence[int]) -> str:
    """The numbers as a text; "" for none. Raises ValueError for a number that no vocabulary has."""
    if not ids:
        return ""
    width = next((w for w in range(1, WIDEST + 1) if max(ids) < 64**w), 0)
    if not width or min(ids) < 0:
        raise ValueError(f"numbers from 0 to {64**WIDEST - 1} were expected, received {list(ids)}")
    return str(width) + "".join(_word(number, width) for number in ids)


def decode(text: str) -> tuple[int, ...]:
    """The numbers again. Raises ValueError for a text that `encode` does not make."""
    if not text:
        return ()
    width, letters = "01234".find(text[0]), text[1:]
    if width < 1 or not letters or len(letters) % width or any(letter not in _VALUES for letter in letters):
        raise ValueError(f"no text of written tokens: {text}")
    return tuple(_number(letters[at : at + width]) for at in range(0, len(letters), width))


def _word(number: int, width: int) -> str:
    return "".join(LETTERS[number >> 6 * place & 63] for place in reversed(range(width)))


def _number(word: str) -> int:
    value = 0
    for letter in word:
        value = value * 64 + _VALUES[letter]
    return value
