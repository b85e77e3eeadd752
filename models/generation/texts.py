"""Prompts of pretrained models, and the tokens that end a text."""

from __future__ import annotations

from models.errors import InputError
from models.generation.writer import refusal
from models.pretrained.encoding import Encoded
from models.pretrained.model import PretrainedModel
from models.pretrained.problems import problem


def encoded_prompt(model: PretrainedModel, text: str, room: int) -> Encoded:
    """The ids of a text that leaves room for at least one more token (the end that some tokenizers put behind a text is
    taken off). Raises InputError: empty_text, grow_prompt_too_long, model_tokenizer_differs."""
    encoded = model.encoder.encode(text, limit=room)
    if encoded.cut or len(encoded.ids) >= room:
        raise refusal("grow_prompt_too_long", tokens=len(encoded.ids) + encoded.cut, room=room - 1)
    if not text or all(encoded.special):
        raise InputError(
            "empty_text",
            "There is no word in the text yet. Type a sentence, or choose an example in the sidebar.",
        )
    if max(encoded.ids) >= model.info.vocabulary:
        raise problem("model_tokenizer_differs", token=max(encoded.ids), vocabulary=model.info.vocabulary)
    return encoded


def ending_ids(model: PretrainedModel) -> frozenset[int]:
    """Which tokens end a text, according to the model's files."""
    found: set[int] = set()
    for holder in (getattr(model.module, "generation_config", None), model.module.config):
        value = getattr(holder, "eos_token_id", None)
        found |= {value} if isinstance(value, int) else set(value or ())
    return frozenset(number for number in found if 0 <= number < model.info.vocabulary)


def start_id(model: PretrainedModel) -> int:
    """The id that stands before the first written token."""
    module = model.module
    for holder in (getattr(module, "generation_config", None), module.config):
        for name in ("decoder_start_token_id", "bos_token_id"):
            if isinstance(value := getattr(holder, name, None), int):
                return value
    return 0
