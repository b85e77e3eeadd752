"""Firefox's tiny translation model in plain PyTorch, as a model that transformers can load and save."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, PreTrainedModel
from transformers.masking_utils import create_bidirectional_mask
from transformers.modeling_outputs import Seq2SeqLMOutput

from models.pretrained.en_pt_layers import MODEL_TYPE, Decoder, Encoder, FirefoxConfig, Weights


class FirefoxTranslator(PreTrainedModel):  # type: ignore[no-untyped-call]
    """The translator: `forward` for a whole target sentence at once, `translate` for writing one, token by token."""

    config_class = FirefoxConfig
    base_model_prefix = ""
    main_input_name = "input_ids"
    _supports_sdpa = True
    _no_split_modules = ["EncoderLayer", "DecoderLayer"]  # noqa: RUF012

    def __init__(self, config: FirefoxConfig) -> None:
        super().__init__(config)
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder, self.decoder = Encoder(config), Decoder(config)
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.post_init()  # type: ignore[no-untyped-call]

    def get_input_embeddings(self) -> nn.Module:
        return self.shared

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        output_attentions: bool = False,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Logits (B × T × vocabulary) for source ids (B × S) and the target ids written so far (B × T)."""
        if decoder_input_ids is None:
            decoder_input_ids = input_ids.new_full((len(input_ids), 1), self.config.decoder_start_token_id)
        memory, own = self.encode(input_ids, attention_mask)
        x = self._embed(decoder_input_ids)
        mask = self._mask(x, attention_mask, memory)
        x, cross, _states = self.decoder(x, memory, mask, self.decoder.start(memory, known=False))
        return Seq2SeqLMOutput(
            logits=self._logits(x),
            encoder_last_hidden_state=memory,
            encoder_attentions=_given(own) if output_attentions else None,
            cross_attentions=_given(cross) if output_attentions else None,
        )

    def encode(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> tuple[Tensor, Weights]:
        """What the encoder makes of the source (B × S × D), and its attention weights where the backend gives them."""
        x = self._embed(input_ids)
        memory, weights = self.encoder(x, self._mask(x, attention_mask, None))
        return memory, weights

    @torch.inference_mode()
    def translate(self, input_ids: Tensor, limit: int) -> list[int]:
        """The likeliest next token, again and again (greedy), for one sentence (1 × S).

        At most `limit` ids, without the one that ends the sentence.
        """
        memory, _ = self.encode(input_ids)
        states = self.decoder.start(memory)
        written = [self.config.decoder_start_token_id]
        while len(written) <= limit:
            x = self._embed(torch.tensor([written[-1:]], device=memory.device), start=len(written) - 1)
            x, _, states = self.decoder(x, memory, None, states)
            written.append(int(self._logits(x)[0, -1].argmax()))
            if written[-1] == self.config.eos_token_id:
                return written[1:-1]
        return written[1:]

    def _embed(self, ids: Tensor, start: int = 0) -> Tensor:
        width = self.config.d_model
        vectors: Tensor = self.shared(ids) * math.sqrt(width)
        return vectors + positions(start, ids.shape[1], width).to(vectors)  # B T D

    def _logits(self, x: Tensor) -> Tensor:
        """Without the last id, which stands for the start and is never written."""
        return nn.functional.linear(x, self.shared.weight[:-1], self.output_bias[:-1])  # B T vocabulary−1

    def _mask(self, x: Tensor, attention_mask: Tensor | None, memory: Tensor | None) -> Any:
        return create_bidirectional_mask(
            config=self.config, inputs_embeds=x, attention_mask=attention_mask, encoder_hidden_states=memory
        )


def _given(weights: Weights) -> tuple[Tensor, ...]:
    """Those that the backend gave: all with "eager", none with "sdpa"."""
    return tuple(one for one in weights if one is not None)


def positions(start: int, count: int, width: int) -> Tensor:
    """Marian's sinusoids (count × width): all sines, then all cosines, the last wavelength being 10,000·2π."""
    half = width // 2
    rates = torch.exp(torch.arange(half) * (-math.log(10_000) / (half - 1)))  # D/2
    angles = torch.arange(start, start + count)[:, None] * rates  # T D/2
    return torch.cat([angles.sin(), angles.cos()], 1)  # T D


AutoConfig.register(MODEL_TYPE, FirefoxConfig, exist_ok=True)
AutoModelForSeq2SeqLM.register(FirefoxConfig, FirefoxTranslator, exist_ok=True)
