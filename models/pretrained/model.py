"""A pretrained model that can be looked into: `trace` runs it on a text and catches every attention call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import nn

from models.errors import InputError
from models.pretrained.call import AttentionCall
from models.pretrained.capture import CapturedForward, capture_calls
from models.pretrained.encoding import Encoder
from models.pretrained.info import ModelInfo
from models.pretrained.inputs import Prepared, is_encoder_decoder, prepare
from models.pretrained.labels import ModelTokens
from models.pretrained.layer_list import numbers, spans
from models.pretrained.problems import problem

LIMIT = 1024  # tokens looked at unless another limit is given


@dataclass(frozen=True)
class ModelTrace:
    """One run of a model: its tokens by stream, and its attention calls in order.

    In a decoder that writes, row t of a call belongs to the token it has just read; `following` has the labels of what
    it went on to write. `tier` says how the calls were caught (1 through the attention interface, 2 by following
    tensors, 3 the model's own weights), `unseen` lists attention modules that ran and were not caught. `inputs` are
    the tensors that the model was run on.
    """

    tokens: Mapping[str, ModelTokens]
    calls: tuple[AttentionCall, ...]
    tier: int
    unseen: Mapping[str, str]
    notes: tuple[str, ...]
    output: Any
    following: tuple[str, ...] | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def layer(self, index: int, stream: str | None = None, kind: str = "self") -> AttentionCall:
        """The call of one layer, by the model's own number: a Jamba may have attention in layers 1 and 3 alone.
        Without `stream`: the decoder's, or that of the only stream which has this kind, which "main" names as well.

        Raises KeyError with what there is.
        """
        streams = {call.stream for call in self.calls if call.kind == kind}
        wanted = stream or ("decoder" if "decoder" in streams else min(streams, default=""))
        if stream == "main" and len(streams) == 1:
            wanted = min(streams)
        for call in self.calls:
            if (call.layer, call.stream, call.kind) == (index, wanted, kind):
                return call
        there = "; ".join(f"{s} {k}: {spans(n)}" for (s, k), n in numbers(self.calls).items())
        raise KeyError(
            f"no layer {index} with attention in {wanted or 'any stream'} {kind}; layers that have it: {there}"
        )

    @cached_property
    def layers(self) -> dict[tuple[str, str], int]:
        """How many layers with attention each stream has of each kind."""
        return {stack: len(found) for stack, found in numbers(self.calls).items()}


class PretrainedModel:
    """A loaded model with its tokenizer. One object serves all threads; nothing in it changes after loading."""

    def __init__(self, module: nn.Module, tokenizer: Any, info: ModelInfo) -> None:
        self.module, self.encoder, self.info = module, Encoder(tokenizer), info
        self.writer: Any = None  # kept for models.generation, which makes it when it is first asked for

    @property
    def tokenizer(self) -> Any:
        return self.encoder.tokenizer

    @property
    def takes_pairs(self) -> bool:
        """Whether the model reads two sentences with a boundary between them, as BERT does: an encoder whose tokenizer
        puts one there. What a model is, is what it was seen to do: a BERT that sees nothing later is no encoder."""
        encoder = {stream for stream, _ in self.info.layers} == {"encoder"}
        return encoder and self.encoder.added(pair=True) > self.encoder.added(pair=False)

    def trace(
        self, text: str, pair: str | None = None, *, target: str | None = None, limit: int | None = None
    ) -> ModelTrace:
        """Runs the model on `text` and catches its attention.

        `pair` is a second sentence, for encoders. `target` is the text an encoder–decoder is taken to write; without it
        the model writes its own, greedily. At most `limit` tokens (1,024 unless given) and not more than the model has
        positions for are looked at; `ModelTokens.cut` says how many were left out.

        Raises InputError: empty_text, model_no_pairs, model_no_target, model_tokenizer_differs, out_of_range.
        """
        pair = pair if pair and pair.strip() else None
        target = target if target and target.strip() else None
        self._check(pair, target)
        room = self._room(limit, pair)
        encoded = self.encoder.encode(text, pair, limit=room)
        if all(encoded.special):
            raise _empty_text()
        if max(encoded.ids) >= self.info.vocabulary:
            raise problem("model_tokenizer_differs", token=max(encoded.ids), vocabulary=self.info.vocabulary)
        prepared = prepare(self.module, self.encoder, encoded, target, room)
        return traced(capture_calls(self.module, **prepared.inputs), prepared)

    def _room(self, limit: int | None, pair: str | None) -> int:
        """How many tokens are looked at; at least one of the text beside those that the tokenizer adds."""
        least = self.encoder.added(pair=pair is not None) + (1 if pair is None else 2)
        if limit is not None and limit < least:
            raise InputError(
                "out_of_range",
                f"limit: a number from {least} was expected, received {limit}. Choose a larger one.",
                name="limit",
                low=least,
                high=LIMIT,
                value=limit,
            )
        return min(LIMIT if limit is None else limit, self.info.max_positions or 10**9)

    def _check(self, pair: str | None, target: str | None) -> None:
        if pair is not None and not self.takes_pairs:
            raise problem("model_no_pairs", model=self.info.name)
        if target is not None and not is_encoder_decoder(self.module):
            raise problem("model_no_target", model=self.info.name)


def traced(captured: CapturedForward, prepared: Prepared) -> ModelTrace:
    """The captured calls with names for their tokens."""
    streams = dict.fromkeys(call.stream for call in captured.calls)
    tokens: dict[str, ModelTokens]
    if prepared.target is not None:
        tokens = {"encoder": prepared.source, "decoder": prepared.target}
    else:
        tokens = dict.fromkeys(streams, prepared.source)
    calls = tuple(_labelled(call, tokens) for call in captured.calls)
    return ModelTrace(
        tokens,
        calls,
        captured.tier,
        captured.unseen,
        captured.notes,
        captured.output,
        prepared.following,
        prepared.inputs,
    )


def _labelled(call: AttentionCall, tokens: Mapping[str, ModelTokens]) -> AttentionCall:
    """Names only where there is one token per row and column: pooling layers have fewer, windows stand in the batch."""
    queries = tokens.get(call.stream)
    keys = tokens.get("encoder") if call.kind == "cross" else queries
    if queries is None or keys is None or call.batches > 1:
        return call
    if (len(queries), len(keys)) != (call.queries, call.keys):
        return call
    return call.with_labels(queries.labels, keys.labels)


def _empty_text() -> InputError:
    return InputError(
        "empty_text",
        "There is no word in the text yet. Type a sentence, or choose an example in the sidebar.",
    )


def probabilities(trace: ModelTrace) -> torch.Tensor:
    """The model's probabilities for the token after the last one (vocabulary), in float32."""
    logits: torch.Tensor = trace.output.logits[0, -1]
    return logits.float().softmax(-1)
