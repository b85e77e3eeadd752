"""The tokens of a model's text, labelled for people: in any tokenizer's scheme, with their places in the text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import regex

from models.pretrained.alignment import Span
from models.pretrained.encoding import Encoded, Encoder
from models.pretrained.pieces import Scheme, bytes_label, glyphs, piece_bytes
from models.pretrained.words import Word, consecutive, word_numbers

UNKNOWN = "⁇"  # behind text that the vocabulary cannot write: how SentencePiece spells its <unk>
_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class ModelToken:
    """One token of a model.

    `piece` is the vocabulary's own spelling, `label` what is drawn, never blank. `start` and `end` are its place in
    text number `segment` (0 the first, 1 the second; None for what the tokenizer added). `part` = (k, n): the k-th of
    n tokens that together make the one character `whole`. `word` numbers the words of the text. `unknown` marks text
    that the vocabulary cannot write: the model read the same token for all of it, and the label ends in ⁇.
    """

    id: int
    piece: str
    label: str
    special: bool = False
    unknown: bool = False
    segment: int | None = None
    start: int | None = None
    end: int | None = None
    word: int | None = None
    part: tuple[int, int] | None = None
    whole: str | None = None


@dataclass(frozen=True)
class ModelTokens:
    """The tokens that one stream of a model sees, in order.

    `cut` is how many more the text had; `unread` counts characters beyond the 100,000 that are read at all.
    """

    pieces: tuple[ModelToken, ...]
    texts: tuple[str, ...]
    cut: int = 0
    unread: int = 0

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(token.label for token in self.pieces)

    @cached_property
    def ids(self) -> tuple[int, ...]:
        return tuple(token.id for token in self.pieces)

    @cached_property
    def special(self) -> tuple[bool, ...]:
        return tuple(token.special for token in self.pieces)

    @cached_property
    def unknown(self) -> tuple[bool, ...]:
        """For every token whether the model read a stand-in for text that its vocabulary cannot write."""
        return tuple(token.unknown for token in self.pieces)

    @cached_property
    def typed(self) -> tuple[ModelToken, ...]:
        """Special tokens that stand in the text itself, such as a typed [MASK]."""
        return tuple(token for token in self.pieces if token.special and token.segment is not None)

    @cached_property
    def words(self) -> tuple[int | None, ...]:
        """For every token the number of its word in its text; None for special tokens and white space."""
        return tuple(token.word for token in self.pieces)

    @cached_property
    def pair_of(self) -> tuple[int | None, ...]:
        """For every token 0 (first sentence), 1 (second sentence) or None (special)."""
        return tuple(token.segment for token in self.pieces)

    @cached_property
    def groups(self) -> tuple[Word, ...]:
        """Every token in one group: the tokens of a word together, all others alone. For `words.merge_words`."""
        keys = [None if token.word is None else (token.segment, token.word) for token in self.pieces]
        return tuple(Word(self._label(indices), indices) for indices in consecutive(keys))

    def _label(self, indices: tuple[int, ...]) -> str:
        parts = [self.pieces[index] for index in indices]
        starts = [part.start for part in parts if part.start is not None]
        ends = [part.end for part in parts if part.end is not None]
        if parts[0].word is None or not starts or not ends:
            return parts[0].label
        whole = glyphs(self.texts[parts[0].segment or 0][min(starts) : max(ends)].strip())
        return whole + UNKNOWN * any(part.unknown for part in parts)


def label_tokens(encoder: Encoder, encoded: Encoded) -> ModelTokens:
    """The labelled tokens of an encoded text or pair of texts."""
    encoded = replace(encoded, spans=_with_marks(encoded))
    tokens = [_token(encoder, encoded, index) for index in range(len(encoded.ids))]
    for segment, text in enumerate(encoded.texts):
        places = [
            index for index, token in enumerate(tokens) if token.segment == segment and not token.special
        ]
        spans = [encoded.spans[index] for index in places]
        for index, word in zip(places, word_numbers(text, spans), strict=True):
            tokens[index] = replace(tokens[index], word=word)
        _mark_parts(tokens, places, text, encoder.scheme)
    _join_spaces(tokens, encoder.scheme)
    return ModelTokens(tuple(tokens), encoded.texts, encoded.cut, encoded.unread)


def _with_marks(encoded: Encoded) -> tuple[Span | None, ...]:
    """The spans, with the accents behind a token that belong to none: a tokenizer that strips accents (BERT's) ends a
    token before them, and the word would be shown without."""
    covered = {
        (segment, place)
        for span, segment in zip(encoded.spans, encoded.segments, strict=True)
        if span is not None
        for place in range(*span)
    }

    def extended(span: Span | None, segment: int | None) -> Span | None:
        if span is None or segment is None or span[0] == span[1]:
            return span
        text, end = encoded.texts[segment], span[1]
        while end < len(text) and (segment, end) not in covered and unicodedata.category(text[end])[0] == "M":
            end += 1
        return span[0], end

    return tuple(extended(*pair) for pair in zip(encoded.spans, encoded.segments, strict=True))


def _token(encoder: Encoder, encoded: Encoded, index: int) -> ModelToken:
    token_id, piece, span = encoded.ids[index], encoded.pieces[index], encoded.spans[index]
    special, unknown = encoded.special[index], token_id == encoder.unknown_id
    segment = encoded.segments[index]
    surface = encoded.texts[segment][slice(*span)] if span is not None and segment is not None else ""
    if special:
        label = glyphs(piece)
    elif surface.strip() and (unknown or encoder.scheme == "wordpiece"):
        label = glyphs(surface)  # as it was typed: the vocabulary may know lower case only, or nothing
    else:
        label = bytes_label(piece_bytes(piece, encoder.scheme))
    label += UNKNOWN * (unknown and not special)
    start, end = span if span is not None and not special else (None, None)
    return ModelToken(token_id, piece, label, special, unknown and not special, segment, start, end)


def _join_spaces(tokens: list[ModelToken], scheme: Scheme) -> None:
    """A token that is one space begins the word after it, as the space in ␣word does."""
    for index in range(len(tokens) - 2, -1, -1):
        token, after = tokens[index], tokens[index + 1]
        if not token.special and token.segment == after.segment and piece_bytes(token.piece, scheme) == b" ":
            tokens[index] = replace(token, word=after.word)


def _mark_parts(tokens: list[ModelToken], places: Sequence[int], text: str, scheme: Scheme) -> None:
    """A character of several tokens is shown once, in the label of the first; the others say which part they are."""
    holders: dict[int, list[int]] = {}
    starts = {}
    for match in _GRAPHEME.finditer(text):
        starts.update(dict.fromkeys(range(*match.span()), match))
    for index in places:
        token = tokens[index]
        if token.start is None or token.end is None or not piece_bytes(token.piece, scheme).strip():
            continue
        for start in {starts[place].start() for place in range(token.start, token.end)}:
            holders.setdefault(start, []).append(index)
    for start, indices in holders.items():
        character = starts[start].group()
        if len(indices) < 2:
            continue
        for number, index in enumerate(indices, start=1):
            if tokens[index].part is None:
                tokens[index] = _as_part(tokens[index], character, number, len(indices), text, start)


def _as_part(token: ModelToken, character: str, number: int, count: int, text: str, start: int) -> ModelToken:
    before = text[token.start : start] if number == 1 else ""  # the token may begin with whole characters
    name = glyphs(before + character) if number == 1 else ""
    label = f"{name} {number}/{count}".strip() + UNKNOWN * token.unknown
    return replace(token, label=label, part=(number, count), whole=character)
