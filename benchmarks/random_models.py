"""Models with random weights of a fixed seed, 12 layers × 12 heads each: nothing has to be downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor
from transformers import (
    BertConfig,
    BertModel,
    LlamaConfig,
    LlamaModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from benchmarks.sentences import WORDS

LAYERS = HEADS = 12
WIDE, NARROW = 768, 96  # d_model: as BERT base, and one that is loaded in a moment
LONGEST = 1024  # tokens
VOCABULARY = 1000
CONTRAST = 0.15  # spread of the narrow model's weights: with the usual 0.02 all attention would be even

_TOKENIZER: Any = PreTrainedTokenizerFast
_SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "max_position_embeddings": LONGEST,
}


def bert(backend: str = "sdpa", d_model: int = WIDE, **more: Any) -> PreTrainedModel:
    """An encoder with learned positions. `backend` computes its attention: "sdpa" or "eager"."""
    torch.manual_seed(0)
    config = BertConfig(**_SIZES, hidden_size=d_model, intermediate_size=4 * d_model, **more)
    config._attn_implementation = backend
    return _evaluating(BertModel(config))


def llama(backend: str = "sdpa") -> PreTrainedModel:
    """A decoder with rotary positions."""
    torch.manual_seed(0)
    config = LlamaConfig(**_SIZES, hidden_size=WIDE, intermediate_size=2048)
    config._attn_implementation = backend
    return _evaluating(LlamaModel(config))


def _evaluating(model: Any) -> PreTrainedModel:
    model.eval()
    ready: PreTrainedModel = model
    return ready


def random_ids(tokens: int) -> Tensor:
    """1 × N token ids."""
    return torch.randint(5, VOCABULARY, (1, tokens), generator=torch.Generator().manual_seed(tokens))


def narrow_bert(backend: str) -> PreTrainedModel:
    """The model of `save_narrow_bert`."""
    return bert(backend, NARROW, initializer_range=CONTRAST)


def save_narrow_bert(folder: Path) -> Path:
    """Write a small model with a tokenizer for which every word of `sentences` is one token."""
    narrow_bert("sdpa").save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(["[UNK]", "[PAD]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast: Any = _TOKENIZER(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]")
    fast.save_pretrained(folder)
    return folder
