"""The layers of Firefox's tiny translation model: Marian's transformer encoder, and a decoder that is recurrent.

The decoder has no self-attention: a *simpler simple recurrent unit* (SSRU; Kim et al. 2019, "From Research to
Production and Back") carries the sentence written so far, and every layer's heads look at the source sentence.
Attention goes through transformers' AttentionInterface, so that it is captured like that of any other model.
Letters: B batch, S source tokens, T target tokens, D d_model, H heads, K D/H.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

MODEL_TYPE = "firefox-translations"
EPSILON = 1e-6  # of Marian's layer normalisation

Weights = tuple[Tensor | None, ...]  # B × H × T × S of every layer, where the backend gives them
KeysValues = tuple[Tensor, Tensor]


class FirefoxConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """Sizes of the model. The id `vocab_size` − 1 stands for "nothing written yet": its vector is zero."""

    model_type = MODEL_TYPE
    attribute_map = {  # noqa: RUF012 - so declared by transformers
        "hidden_size": "d_model",
        "num_attention_heads": "encoder_attention_heads",
        "num_hidden_layers": "encoder_layers",
    }

    vocab_size: int = 32001
    d_model: int = 256
    encoder_layers: int = 6
    decoder_layers: int = 2
    encoder_attention_heads: int = 8
    decoder_attention_heads: int = 8
    ffn_dim: int = 1536
    max_position_embeddings: int = 1024
    decoder_start_token_id: int = 32000
    eos_token_id: int = 0
    pad_token_id: int = 32000
    is_encoder_decoder: bool = True
    tie_word_embeddings: bool = True
    position_embedding_type: str = "sinusoidal"


def eager_attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """Attention step by step; the default of "eager". All of B × H × tokens × K; returns B × T × H × K and weights."""
    del module, dropout  # no dropout: the model is for looking at, not for training
    scores = query @ key.transpose(2, 3) * scaling  # B H T S
    if attention_mask is not None:
        scores = scores + attention_mask  # B H T S
    weights = scores.softmax(-1)  # B H T S
    return (weights @ value).transpose(1, 2).contiguous(), weights  # B T H K


@dataclass(frozen=True)
class LayerState:
    """What a decoder layer carries from token to token: its recurrent cell (B × D), and keys and values of the source
    once they are known."""

    cell: Tensor
    known: KeysValues | None = None


class Attention(nn.Module):
    """Multi-head attention from `x` to `source`, the sum with `x`, and a layer normalisation."""

    is_causal = False

    def __init__(self, config: FirefoxConfig, heads: int, cross: bool) -> None:
        super().__init__()
        self.config, self.heads, self.is_cross_attention = config, heads, cross
        self.scaling = (config.d_model // heads) ** -0.5
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(config.d_model, config.d_model) for _ in range(4)
        )
        self.norm = nn.LayerNorm(config.d_model, EPSILON)

    def keys_values(self, source: Tensor) -> KeysValues:
        return self._heads(self.k_proj(source)), self._heads(self.v_proj(source))  # B H S K

    def forward(
        self, x: Tensor, source: Tensor, mask: Tensor | None, known: KeysValues | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """`known` are the keys and values of `source`, if they have been computed before."""
        query = self._heads(self.q_proj(x))  # B H T K
        key, value = known or self.keys_values(source)
        attention = ALL_ATTENTION_FUNCTIONS.get_interface(
            self.config._attn_implementation, eager_attention_forward
        )
        mixed, weights = attention(self, query, key, value, mask, dropout=0.0, scaling=self.scaling)
        return self.norm(x + self.out_proj(mixed.flatten(2))), weights  # B T D

    def _heads(self, flat: Tensor) -> Tensor:
        return flat.view(*flat.shape[:2], self.heads, -1).transpose(1, 2)  # B H T K


class FeedForward(nn.Module):
    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.fc1, self.fc2 = (
            nn.Linear(config.d_model, config.ffn_dim),
            nn.Linear(config.ffn_dim, config.d_model),
        )
        self.norm = nn.LayerNorm(config.d_model, EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.norm(x + self.fc2(self.fc1(x).relu()))  # B T D
        return out


class RecurrentUnit(nn.Module):
    """SSRU: f = σ(x·W_f + b_f), c_t = f_t ∘ c_{t−1} + (1 − f_t) ∘ x_t·W, and out = norm(x + relu(c))."""

    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.candidate = nn.Linear(config.d_model, config.d_model, bias=False)
        self.forget = nn.Linear(config.d_model, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, EPSILON)

    def forward(self, x: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """The outputs (B × T × D) and the cell (B × D) after the last token, from the cell before the first."""
        forget = self.forget(x).sigmoid()  # B T D
        new = (1 - forget) * self.candidate(x)  # B T D
        cells = []
        for step in range(x.shape[1]):
            cell = forget[:, step] * cell + new[:, step]  # B D
            cells.append(cell)
        return self.norm(x + torch.stack(cells, 1).relu()), cell  # B T D


class EncoderLayer(nn.Module):
    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config, config.encoder_attention_heads, cross=False)
        self.ffn = FeedForward(config)

    def forward(self, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
        x, weights = self.self_attn(x, x, mask)
        return self.ffn(x), weights  # B S D


class DecoderLayer(nn.Module):
    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.rnn = RecurrentUnit(config)
        self.encoder_attn = Attention(config, config.decoder_attention_heads, cross=True)
        self.ffn = FeedForward(config)

    def start(self, memory: Tensor, known: bool) -> LayerState:
        cell = torch.zeros_like(memory[:, 0])  # B D
        return LayerState(cell, self.encoder_attn.keys_values(memory) if known else None)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, state: LayerState
    ) -> tuple[Tensor, Tensor | None, LayerState]:
        x, cell = self.rnn(x, state.cell)
        x, weights = self.encoder_attn(x, memory, mask, state.known)
        return self.ffn(x), weights, LayerState(cell, state.known)  # B T D


class Encoder(nn.Module):
    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))

    def forward(self, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Weights]:
        kept = []
        for layer in self.layers:
            x, weights = layer(x, mask)
            kept.append(weights)
        return x, tuple(kept)


class Decoder(nn.Module):
    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))

    def start(self, memory: Tensor, known: bool = True) -> list[LayerState]:
        """Every layer's state before the first token, with the keys and values of the source if they are to be kept."""
        return [layer.start(memory, known) for layer in self.stack()]

    def stack(self) -> Iterator[DecoderLayer]:
        """The layers, by the type that they have."""
        return (layer for layer in self.layers if isinstance(layer, DecoderLayer))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, states: list[LayerState]
    ) -> tuple[Tensor, Weights, list[LayerState]]:
        kept, after = [], []
        for layer, state in zip(self.stack(), states, strict=True):
            x, weights, last = layer(x, memory, mask, state)
            kept.append(weights)
            after.append(last)
        return x, tuple(kept), after
