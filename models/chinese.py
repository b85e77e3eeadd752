"""Chinese cut into words: jieba's dictionary (through `rjieba`), the words of the field, either way of writing.

Jieba's guess at words that it does not know (its hidden Markov model) is left off: it joins what only stands side by
side (键和值, 我用), and a character by itself is never wrong. Its dictionary is simplified, so traditional characters
are looked up as their simplified forms, one by one; the text itself stays as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import opencc
import regex
import rjieba

FIELD_WORDS = Path(__file__).with_name("field_words.txt")
_FREQUENCY = 1_000_000  # far above any word of the dictionary: a word of the field is never cut

# 二〇二四 and 三点一四 are numbers; 一一 and 三三两两 are words.
_DIGITS = "〇零一二三四五六七八九"
_NUMERAL = regex.compile(rf"[{_DIGITS}]*+〇[{_DIGITS}]*+|[{_DIGITS}]{{3,}}")


def words(run: str) -> Iterator[str]:
    """The words of a run of Chinese characters, in order; joined they are the run."""
    at = 0
    for match in _NUMERAL.finditer(run):
        yield from _known(run[at : match.start()])
        yield match.group()
        at = match.end()
    yield from _known(run[at:])


def _known(run: str) -> Iterator[str]:
    at = 0
    for word in _dictionary().cut(_simplified(run), False) if run else ():
        yield run[at : at + len(word)]
        at += len(word)


def _simplified(run: str) -> str:
    return "".join(map(_simple_form, run))


@lru_cache(maxsize=8192)
def _simple_form(character: str) -> str:
    """The simplified form of a character; itself where that would be none or several."""
    found: str = _converter().convert(character)
    return found if len(found) == 1 else character


@cache
def _converter() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")


@cache
def _dictionary() -> rjieba.Jieba:
    """A dictionary of our own: others in the process keep theirs."""
    found = rjieba.Jieba()
    for line in FIELD_WORDS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            found.add_word(line, _FREQUENCY, "n")
    return found
