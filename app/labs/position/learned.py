"""A position table that was really learned: MiniLM's, with what it does to the scores of its first layer.

Only the tensors that are needed are read from the model's file, so that neither the model nor its library is loaded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from models.positions import learned
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.download import intact

MODEL, HEADS = "minilm", 12
EPSILON = 1e-12
LONGEST = 64  # tokens of the sentence that are shown

_NAMES = {
    "position": "embeddings.position_embeddings.weight",
    "type": "embeddings.token_type_embeddings.weight",
    "norm_weight": "embeddings.LayerNorm.weight",
    "norm_bias": "embeddings.LayerNorm.bias",
    "w_q": "encoder.layer.0.attention.self.query.weight",
    "b_q": "encoder.layer.0.attention.self.query.bias",
    "w_k": "encoder.layer.0.attention.self.key.weight",
    "b_k": "encoder.layer.0.attention.self.key.bias",
}


@dataclass(frozen=True)
class LearnedScores:
    """Scaled scores (H × N × M) of the model's first layer without and with its position vectors."""

    labels: tuple[str, ...]
    before: Tensor
    after: Tensor


def available() -> bool:
    """Whether the trained model has been fetched."""
    return READY_MODELS[MODEL].ready


def position_table() -> Tensor:
    """The table: 512 positions × 384 dimensions."""
    return _parameters()["position"]


def learned_scores(text: str, start: int = 0) -> LearnedScores:
    """The sentence in MiniLM's own tokens; the first stands at position `start`. Both score matrices include what the
    model does next: the layer norm over the sum, and the projections with their biases."""
    labels, words = _words(text)
    parts = _parameters()
    count = len(labels)
    plain = words + parts["type"][0]  # N D
    placed = plain + learned(parts["position"], start + count)[start:]  # N D
    return LearnedScores(labels, _scores(plain, parts), _scores(placed, parts))


def _scores(x: Tensor, parts: dict[str, Tensor]) -> Tensor:
    d = x.shape[-1]
    wide = {name: tensor.double() for name, tensor in parts.items() if name != "position"}
    normed = layer_norm(x.double(), (d,), wide["norm_weight"], wide["norm_bias"], EPSILON)  # N D
    q, k = (
        (normed @ wide[f"w_{name}"].T + wide[f"b_{name}"]).reshape(len(x), HEADS, -1).transpose(0, 1)
        for name in ("q", "k")
    )  # H N K
    return q @ k.transpose(-2, -1) / math.sqrt(d // HEADS)  # H N M


@lru_cache(maxsize=1)
def _parameters() -> dict[str, Tensor]:
    from safetensors import safe_open

    with safe_open(intact(READY_MODELS[MODEL]) / "model.safetensors", framework="pt") as file:
        return {name: file.get_tensor(stored).float() for name, stored in _NAMES.items()}


@lru_cache(maxsize=32)
def _words(text: str) -> tuple[tuple[str, ...], Tensor]:
    """Labels and word vectors (N × D) of the sentence's tokens."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(READY_MODELS[MODEL].path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    encoded = tokenizer.encode(text)
    with safe_open(READY_MODELS[MODEL].path / "model.safetensors", framework="pt") as file:
        rows = file.get_slice("embeddings.word_embeddings.weight")
        vectors = torch.cat([rows[i : i + 1] for i in encoded.ids]).float()
    return tuple(encoded.tokens), vectors
