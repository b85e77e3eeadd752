"""Places of tokens in their text, found from the tokens' bytes, for tokenizers that cannot say them."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]

LOOK_AHEAD = 32  # characters that may stand between two tokens: white space that the tokenizer dropped


def align(
    pieces: Sequence[bytes | None], texts: Sequence[str], first: int | None
) -> tuple[tuple[Span | None, ...], tuple[int | None, ...]]:
    """The span and the text (0 or 1) of every token; None for special tokens (None in `pieces`).

    `first` is how many of the tokens belong to the first text; None if there is only one. A token whose bytes are not
    found near where they should be (the tokenizer rewrote the text) has no span, and the search goes on behind it.
    """
    spans: list[Span | None] = []
    segments: list[int | None] = []
    places = [_Reader(text) for text in texts]
    seen = 0
    for data in pieces:
        if data is None:
            spans.append(None)
            segments.append(None)
            continue
        segment = 1 if first is not None and seen >= first else 0
        seen += 1
        spans.append(places[segment].find(data))
        segments.append(segment)
    return tuple(spans), tuple(segments)


class _Reader:
    """Goes through the bytes of one text from left to right."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self.place = 0
        self.character_at = [
            index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogatepass")
        ]

    def find(self, data: bytes) -> Span | None:
        wanted = data if self.data.startswith(data, self.place) else data.strip()
        start = self.data.find(wanted, self.place, self.place + len(wanted) + LOOK_AHEAD) if wanted else -1
        if start < 0:
            return None
        self.place = start + len(wanted)
        return self.character_at[start], self.character_at[self.place - 1] + 1
