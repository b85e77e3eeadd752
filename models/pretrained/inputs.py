"""What a model is run on: the tensors for one text, and the labelled tokens of each of its streams."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from models.pretrained.en_pt import FirefoxTranslator
from models.pretrained.encoding import Encoded, Encoder
from models.pretrained.labels import ModelToken, ModelTokens, label_tokens
from models.pretrained.pieces import glyphs
from models.pretrained.tables import fitted
from models.pretrained.unchanged import unchanged

# Not kept: the cache of keys and values, and predictions for every position (100 MB and more at 1,024 tokens).
ECONOMY = {"use_cache": False, "logits_to_keep": 1}


@dataclass(frozen=True)
class Prepared:
    """`inputs` for the model's forward, and the tokens it reads (`source`).

    For a decoder that writes, `target` are the tokens written so far, the start first, and `following` the labels of
    what was written after each of them.
    """

    inputs: dict[str, Any]
    source: ModelTokens
    target: ModelTokens | None = None
    following: tuple[str, ...] | None = None


def prepare(model: nn.Module, encoder: Encoder, encoded: Encoded, target: str | None, limit: int) -> Prepared:
    """Tensors (1 × N) of an encoded text; for an encoder–decoder also of `target`, or of what it writes itself."""
    accepted = inspect.signature(model.forward).parameters
    inputs: dict[str, Any] = {
        name: torch.tensor([values]) for name, values in encoded.inputs.items() if name in accepted
    }
    inputs |= {name: value for name, value in ECONOMY.items() if name in accepted}
    inputs = fitted(model, inputs)
    source = label_tokens(encoder, encoded)
    if not is_encoder_decoder(model):
        return Prepared(inputs, source)
    if target is None:
        written = encoder.written(_greedy(model, inputs, limit))
    else:
        written = encoder.encode(target, limit=limit, as_target=True)
    after = label_tokens(encoder, written)
    start = _start_id(model)
    inputs["decoder_input_ids"] = torch.tensor([[start, *written.ids[:-1]]])
    inputs.pop("logits_to_keep", None)
    inputs = fitted(model, inputs)
    first = ModelToken(start, encoder.piece(start), glyphs(encoder.piece(start)), special=True)
    before = ModelTokens((first, *after.pieces[:-1]), after.texts, after.cut, after.unread)
    return Prepared(inputs, source, before, after.labels)


def is_encoder_decoder(model: nn.Module) -> bool:
    config: Any = model.config
    return bool(getattr(config, "is_encoder_decoder", False))


def _start_id(model: nn.Module) -> int:
    """The id that stands before the first written token."""
    config, generation = model.config, getattr(model, "generation_config", None)
    for holder in (generation, config):
        for name in ("decoder_start_token_id", "bos_token_id"):
            if isinstance(value := getattr(holder, name, None), int):
                return value
    return 0


def _greedy(model: nn.Module, inputs: dict[str, Any], limit: int) -> list[int]:
    """What the model writes when it always takes the likeliest token: ids with the end, at most `limit`."""
    ids: Tensor = inputs["input_ids"]
    room = min(limit, 3 * ids.shape[1] + 10)
    if isinstance(model, FirefoxTranslator):
        return [*model.translate(ids, room - 1), int(model.config.eos_token_id)]
    generator: Any = model
    if not (hasattr(generator, "generate") and generator.can_generate()):
        return [_start_id(model)]  # nothing can be written: the decoder is seen at its first position
    kept = {name: value for name, value in inputs.items() if name not in ECONOMY}
    options = {**kept, "do_sample": False, "num_beams": 1, "max_new_tokens": room}
    with torch.inference_mode(), unchanged(model):
        try:
            written = generator.generate(**options)
        except IndexError:  # transformers sizes T5's cache by the encoder; its decoder may have more layers
            written = generator.generate(**options, use_cache=False)
    return [int(number) for number in written[0, 1:]]  # without the start
