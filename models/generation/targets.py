"""What all encoder–decoders that write have in common: source and target tokens, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.generation.texts import ending_ids
from models.generation.writer import Prompt, Writer, numbers_per_row
from models.pretrained.call import AttentionCall
from models.pretrained.labels import ModelToken, ModelTokens, label_tokens
from models.pretrained.model import ModelTrace, PretrainedModel
from models.pretrained.pieces import glyphs


class TargetWriter(Writer):
    """A pretrained model that reads one text and writes another."""

    def __init__(self, model: PretrainedModel) -> None:
        self.model = model
        self.room = min(self.room, model.info.max_positions or self.room)
        self.vocabulary = model.info.vocabulary
        self.numbers_per_row = numbers_per_row(model.info)
        self.ends = ending_ids(model)

    def tokens(self, prompt: Prompt, written: Sequence[int]) -> ModelTokens:
        encoder = self.model.encoder
        (start,) = prompt.ids
        after = label_tokens(encoder, encoder.written(list(written)))
        first = ModelToken(start, encoder.piece(start), glyphs(encoder.piece(start)), special=True)
        return replace(after, pieces=(first, *after.pieces))

    def named(
        self, calls: Sequence[AttentionCall], prompt: Prompt, written: Sequence[int], tier: int
    ) -> ModelTrace:
        """The calls with names for their tokens."""
        return named(calls, prompt, self.tokens(prompt, written), tier)


def named(calls: Sequence[AttentionCall], prompt: Prompt, tokens: ModelTokens, tier: int) -> ModelTrace:
    """A trace of an encoder–decoder; `tokens` are the start and everything written, of which the last may not have been
    read yet."""
    assert prompt.source is not None
    rows = max(call.queries for call in calls if call.stream == "decoder")
    read = replace(tokens, pieces=tokens.pieces[:rows])
    found = []
    for call in calls:
        queries = prompt.source if call.stream == "encoder" else read
        keys = read if (call.stream, call.kind) == ("decoder", "self") else prompt.source
        found.append(call.with_labels(queries.labels, keys.labels))
    streams = {"encoder": prompt.source, "decoder": read}
    return ModelTrace(streams, tuple(found), tier, {}, (), None, tokens.labels[1:])
