"""Text cut into tokens: words in any script, numbers, punctuation marks, emoji.

Chinese is cut into words by `models.chinese`, everything else by one regular expression; or a text is cut into its
characters. A token keeps its place in the text, so that `text[token.start:token.end] == token.text` always holds.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, overload

import regex

from models.chinese import words

Cut = Literal["words", "characters"]
Kind = Literal["word", "number", "punctuation", "emoji", "symbol", "invisible"]

MAX_CHARACTERS = 100_000  # what is read of a text; far more than any limit on tokens needs
LABEL_GRAPHEMES = 24
GRAPHEME_CHARACTERS = 16  # the longest real emoji; a letter under a tower of accents is cut here
SLOTS = 1_000_000  # ids are drawn from here, as if the vocabulary had this many words

_LETTER = r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}]]"
# Joiners (U+200C, U+200D) belong to the spelling of a word in Persian and the scripts of India.
_RUN = rf"{_LETTER}(?:[\u200C\u200D]?[{_LETTER}\p{{M}}])*+"
_PIECE = regex.compile(
    rf"""
      (?P<space> [\s\x1C-\x1F]++ )                          # exactly what str.isspace() calls space
    | (?P<chinese> (?:\p{{Han}}\p{{M}}*+)++ )
    | (?P<kana> (?:\p{{Hiragana}}\p{{M}}*+)++ | (?:[\p{{Katakana}}ー]\p{{M}}*+)++ )
    | (?P<named> (?<![\p{{Latin}}\p{{N}}]) (?: \p{{Latin}}{{1,3}}\+\+ | \p{{Lu}}\# | \.NET ) (?![\p{{Latin}}\p{{N}}+]) )
    | (?P<number> \p{{Nd}}++(?:[.,]\p{{Nd}}++)++ )          # 3.14 and 1,000
    | (?P<word> {_RUN}(?:['’_‐‑-]{_RUN})*+ (?:(?<=\p{{Nd}})(?:\.\p{{Nd}}++)++)? )  # didn't, state-of-the-art, v1.2
    | (?P<ellipsis> \.{{2,}}+ | …++ | —++ )                 # one mark, however long
    | (?P<other> \X )
    """,
    regex.VERBOSE | regex.VERSION1,
)

_GRAPHEME = regex.compile(r"\X")
_NUMBER = regex.compile(r"[\p{N}.,]+")
_EMOJI = regex.compile(r"[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3]")
_PUNCTUATION = regex.compile(r"\p{P}")

# Joiners, variation selectors and flag letters: invisible themselves, they shape the character to their left.
_GLUE = r"\u200C\u200D\uFE00-\uFE0F\U000E0020-\U000E007F\U000E0100-\U000E01EF"
_HIDDEN = regex.compile(
    rf"""
      [[\p{{C}}\p{{Z}}\p{{Default_Ignorable_Code_Point}}\u2800]--[\p{{Extended_Pictographic}}{_GLUE}]]
    | (?<![\p{{L}}\p{{M}}\p{{N}}\p{{S}}\p{{P}}{_GLUE}])[{_GLUE}]    # glue with nothing to its left
    | [\u200C\u200D](?![\p{{L}}\p{{M}}\p{{Extended_Pictographic}}]) # a joiner with nothing to its right
    """,
    regex.VERBOSE | regex.VERSION1,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a text.

    `text` is the piece itself, `source[start:end]`; `label` is what is drawn: never blank, and at most 24
    characters as a reader counts them. `id` is a hash of the word, not a row of a vocabulary: two words may
    share an id (see `token_id`), so vectors are drawn per word.
    """

    text: str
    label: str
    start: int
    end: int
    id: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Tokens:
    """The first tokens of a text, in order.

    `total` is how many the text has without the limit; `unread` counts the characters beyond
    `MAX_CHARACTERS`, which were not looked at and are not part of `text`.
    """

    pieces: tuple[Token, ...]
    text: str
    total: int
    unread: int = 0

    def __len__(self) -> int:
        return len(self.pieces)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.pieces)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, index: int | slice) -> Token | tuple[Token, ...]:
        return self.pieces[index]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(token.label for token in self.pieces)

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(token.id for token in self.pieces)

    @property
    def truncated(self) -> bool:
        """Whether a part of the text is not in these tokens."""
        return self.total > len(self.pieces) or self.unread > 0


def tokenize(text: str, limit: int = 256, cut: Cut = "words") -> Tokens:
    """Cut `text` into its first `limit` tokens; a text of spaces has none.

    A token is a word, or one character as a reader counts them. Any string is accepted, unpaired surrogates and control
    characters included.

        >>> tokenize("我喜欢苹果, didn't I?").labels
        ('我', '喜欢', '苹果', ',', "didn't", 'I', '?')
        >>> tokenize("我喜欢 AI", cut="characters").labels
        ('我', '喜', '欢', 'A', 'I')
    """
    unread = max(0, len(text) - MAX_CHARACTERS)
    text = text[:MAX_CHARACTERS]
    spans = _spans(text) if cut == "words" else _characters(text)
    pieces = tuple(_token(text, start, end) for start, end in islice(spans, limit))
    return Tokens(pieces, text, len(pieces) + sum(1 for _ in spans), unread)


def normalize(text: str) -> str:
    """The form in which two spellings count as one word: composed (NFC) and without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@lru_cache(maxsize=4096)
def token_id(text: str) -> int:
    """A number in [0, 1,000,000) for a word, the same on every machine.

    It is a hash (the hashing trick), so no vocabulary has to be built or shipped. Among 256 different
    words, two share an id with a probability of 3 %. Vectors don't depend on it.
    """
    digest = hashlib.sha256(normalize(text).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % SLOTS


def visible_label(text: str) -> str:
    """What to draw for `text`: what would not show is named, as in ⟨200B⟩, and what is too long ends in …"""
    graphemes = [match.group() for match in islice(_GRAPHEME.finditer(text), LABEL_GRAPHEMES + 1)]
    if len(graphemes) > LABEL_GRAPHEMES:
        graphemes[LABEL_GRAPHEMES - 1 :] = ["…"]
    label = _HIDDEN.sub(_code_point, "".join(grapheme[:GRAPHEME_CHARACTERS] for grapheme in graphemes))
    return "◌" + label if unicodedata.category(label[0]).startswith("M") else label


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _PIECE.finditer(text):
        if match.lastgroup == "chinese":
            yield from _chinese_spans(match.group(), match.start())
        elif match.lastgroup != "space":
            yield match.span()


def _characters(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _GRAPHEME.finditer(text) if not match.group().isspace())


def _chinese_spans(run: str, offset: int) -> Iterator[tuple[int, int]]:
    """The words, except that a variation selector or an accent stays with its character."""
    start = end = offset
    for word in words(run):
        if end > start and not unicodedata.category(word[0]).startswith("M"):
            yield start, end
            start = end
        end += len(word)
    yield start, end


def _token(text: str, start: int, end: int) -> Token:
    piece = text[start:end]
    return Token(piece, visible_label(piece), start, end, token_id(piece), _kind(piece))


def _kind(piece: str) -> Kind:
    if _EMOJI.search(piece):
        return "emoji"
    if _NUMBER.fullmatch(piece) and piece[0] not in ".,":
        return "number"
    if _PUNCTUATION.match(piece):
        return "punctuation"
    category = unicodedata.category(piece[0])
    if category[0] in "LN":
        return "word"
    return "invisible" if _HIDDEN.match(piece) else "symbol"


def _code_point(match: regex.Match[str]) -> str:
    return f"⟨{ord(match.group()):04X}⟩"
