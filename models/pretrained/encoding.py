"""From text to a model's ids, with the place of every token in the text: for tokenizers with and without offsets."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.pretrained.alignment import Span, align
from models.pretrained.panics import panics_said
from models.pretrained.pieces import Scheme, is_byte, piece_bytes, scheme_of

MAX_CHARACTERS = 100_000  # what is read of a text; far more than any limit on tokens needs


@dataclass(frozen=True)
class Encoded:
    """A text, or two, as ids; all sequences have one entry per token.

    `spans` are places in the text that `segments` numbers (None where there is none); `special` marks tokens with a
    meaning of their own, typed ones too; `inputs` is what the tokenizer made for the model; `cut` counts the tokens
    beyond the limit, `unread` the characters beyond `MAX_CHARACTERS`.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[Span | None, ...]
    segments: tuple[int | None, ...]
    special: tuple[bool, ...]
    texts: tuple[str, ...]
    inputs: dict[str, list[int]]
    cut: int = 0
    unread: int = 0


class Encoder:
    """A tokenizer that several threads may use. InputError model_tokenizer_failed where its own code breaks down."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.tokenizer.truncation_side = "right"
        self.fast = getattr(tokenizer, "backend_tokenizer", None) is not None
        self.scheme: Scheme = scheme_of(tokenizer)
        self.unknown_id: int | None = self._stand_in()
        self.special_ids = self._all_special_ids()
        self._lock = threading.Lock()  # truncation is a setting of the tokenizer itself: "Already borrowed"

    def _stand_in(self) -> int | None:
        """The id that is read for text which the vocabulary cannot write; None where it can write every text, or where
        the token has another meaning: GPT-2 and SmolLM2 name the end of a text as their unknown token."""
        tokenizer = self.tokenizer
        known: int | None = tokenizer.unk_token_id
        others = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id)
        return None if self.scheme in ("byte_level", "bytes") or known in others else known

    def _all_special_ids(self) -> set[int]:
        added = self.tokenizer.added_tokens_decoder.items()
        marked = {
            number for number, token in added if token.special and not is_byte(token.content, self.scheme)
        }
        return (set(self.tokenizer.all_special_ids) | marked) - {self.unknown_id}

    @panics_said()
    def encode(self, text: str, pair: str | None = None, *, limit: int, as_target: bool = False) -> Encoded:
        """At most `limit` tokens of a text or a pair of texts. Any string is accepted.

        `as_target` is for the text that a model writes, where its tokenizer tells the two apart.
        """
        given = (text,) if pair is None else (text, pair)
        texts = tuple(readable(part[:MAX_CHARACTERS]) for part in given)
        with self._lock:
            kept = self._call(texts, as_target, truncation=True, max_length=limit)
            full = len(kept["input_ids"]) >= limit
            total = len(self._call(texts, as_target)["input_ids"]) if full else len(kept["input_ids"])
        ids = tuple(kept["input_ids"])
        pieces = tuple(str(piece) for piece in self.tokenizer.convert_ids_to_tokens(list(ids)))
        special = self._special(kept, ids)
        spans, segments = self._places(kept, texts, pieces, special)
        return Encoded(
            ids,
            pieces,
            spans,
            segments,
            special,
            texts,
            inputs={name: list(kept[name]) for name in self.tokenizer.model_input_names if name in kept},
            cut=total - len(ids),
            unread=sum(map(len, given)) - sum(map(len, texts)),
        )

    @panics_said()
    def spelt(self, ids: Sequence[int]) -> str:
        """The text of ids, without special tokens."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    @panics_said()
    def added(self, *, pair: bool) -> int:
        """How many special tokens are put around a text, or around two."""
        return int(self.tokenizer.num_special_tokens_to_add(pair=pair))

    def written(self, ids: list[int]) -> Encoded:
        """The ids that a model wrote, with their places in the text that they spell."""
        text = self.spelt(ids)
        pieces = tuple(self.piece(number) for number in ids)
        special = tuple(number in self.special_ids for number in ids)
        data = [
            None if mark else piece_bytes(piece, self.scheme)
            for piece, mark in zip(pieces, special, strict=True)
        ]
        spans, segments = align(data, (text,), None)
        return Encoded(tuple(ids), pieces, spans, segments, special, (text,), {})

    @panics_said()
    def piece(self, number: int) -> str:
        """The vocabulary's spelling of an id; the number itself where it has none."""
        found = self.tokenizer.convert_ids_to_tokens([number])[0]
        return f"#{number}" if found is None else str(found)

    def _call(self, texts: tuple[str, ...], as_target: bool, **options: Any) -> Any:
        if self.fast:
            options |= {"return_offsets_mapping": True, "return_special_tokens_mask": True}
        if as_target:
            return self.tokenizer(text_target=texts[0], verbose=False, **options)
        return self.tokenizer(*texts, verbose=False, **options)

    def _special(self, kept: Any, ids: tuple[int, ...]) -> tuple[bool, ...]:
        """The tokenizer marks only what it added itself; a typed "[MASK]" is known by its id."""
        marks = kept.get("special_tokens_mask") or [0] * len(ids)
        known = (number in self.special_ids for number in ids)
        return tuple(is_known or bool(mark) for is_known, mark in zip(known, marks, strict=True))

    def _places(
        self, kept: Any, texts: tuple[str, ...], pieces: tuple[str, ...], special: tuple[bool, ...]
    ) -> tuple[tuple[Span | None, ...], tuple[int | None, ...]]:
        """Where every token stands, and in which text."""
        if self.fast:
            segments = tuple(kept.sequence_ids(0))
            offsets = (tuple(span) for span in kept["offset_mapping"])
            return tuple(None if s is None else o for s, o in zip(segments, offsets, strict=True)), segments
        data = [
            None if mark else piece_bytes(piece, self.scheme)
            for piece, mark in zip(pieces, special, strict=True)
        ]
        return align(data, texts, self._length_of_first(texts))

    def _length_of_first(self, texts: tuple[str, ...]) -> int | None:
        """How many tokens the first of two texts has without special ones; None if there is only one text."""
        if len(texts) == 1:
            return None
        return len(self.tokenizer(texts[0], add_special_tokens=False, verbose=False)["input_ids"])


def readable(text: str) -> str:
    """Text that every tokenizer accepts: halves of surrogate pairs become �, one for one."""
    return "".join("�" if "\ud800" <= character <= "\udfff" else character for character in text)
