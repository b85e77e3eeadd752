"""Small models of many architectures, with random weights from a fixed seed; nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

VOCABULARY = 60
TOKENS = 7
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

# Names of the same sizes in different families of configs.
LLAMA = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64, **SPECIAL,
}  # fmt: skip
FALCON = {key: size for key, size in LLAMA.items() if key != "head_dim"}
BERT = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 64, "type_vocab_size": 2, "pad_token_id": 0,
}  # fmt: skip
GPT = {
    "vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "n_inner": 40, **SPECIAL,
}  # fmt: skip
BART = {
    "vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 40, "max_position_embeddings": 64,
    "decoder_start_token_id": 2, **SPECIAL,
}  # fmt: skip
T5 = {
    "vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 40, "num_layers": 3, "num_decoder_layers": 2,
    "num_heads": 4, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1,
}  # fmt: skip
VIT = {
    "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 16,
    "patch_size": 8, "num_channels": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Architecture:
    """Name of the model's class (its config's is derived), the sizes, and what it takes in."""

    model: str
    config: str
    sizes: dict[str, Any]
    takes: str = "text"  # text, pair (encoder and decoder), image


def _of(
    family: str, sizes: dict[str, Any], head: str = "Model", takes: str = "text", **more: Any
) -> Architecture:
    return Architecture(f"{family}{head}", f"{family}Config", {**sizes, **more}, takes)


ARCHITECTURES: dict[str, Architecture] = {
    # Encoders
    "BERT": _of("Bert", BERT),
    "RoBERTa": _of("Roberta", BERT, pad_token_id=1),
    "XLM-RoBERTa": _of("XLMRoberta", BERT, pad_token_id=1),
    "ELECTRA": _of("Electra", BERT, embedding_size=32),
    "ALBERT": _of("Albert", BERT, embedding_size=16, num_hidden_layers=3),
    "DistilBERT": _of(
        "DistilBert", {"vocab_size": VOCABULARY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 40},
    ),
    "MPNet": _of("MPNet", BERT, pad_token_id=1),
    "CamemBERT": _of("Camembert", BERT, pad_token_id=1),
    "ESM (rotary)": _of("Esm", BERT, position_embedding_type="rotary", mask_token_id=3, token_dropout=False),
    "ModernBERT": _of(
        "ModernBert", BERT, local_attention=4, global_attn_every_n_layers=2, cls_token_id=1, sep_token_id=2,
    ),
    "DeBERTa v2": _of("DebertaV2", BERT, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=8),
    "DeBERTa": _of("Deberta", BERT, relative_attention=True, pos_att_type=["c2p", "p2c"], type_vocab_size=0),
    "RoFormer": _of("RoFormer", BERT, embedding_size=32),
    "MobileBERT": _of("MobileBert", BERT, embedding_size=16, true_hidden_size=32, intra_bottleneck_size=32),
    "SqueezeBERT": _of("SqueezeBert", BERT, embedding_size=32),
    "XLNet": _of("XLNet", {"vocab_size": VOCABULARY, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 40}),
    "XLM": _of(
        "XLM", {"vocab_size": VOCABULARY, "emb_dim": 32, "n_layers": 2, "n_heads": 4, "pad_index": 0, **SPECIAL},
    ),
    # Decoders
    "GPT-2": _of("GPT2", GPT),
    "GPT-Neo": _of(
        "GPTNeo", {"vocab_size": VOCABULARY, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "window_size": 4,
        "attention_types": [[["global", "local"], 1]], "max_position_embeddings": 64, **SPECIAL},
    ),
    "GPT-J": _of("GPTJ", GPT, rotary_dim=4),
    "CodeGen": _of("CodeGen", GPT, rotary_dim=4),
    "GPT-NeoX": _of("GPTNeoX", LLAMA, rotary_pct=0.5),
    "GPTBigCode": _of("GPTBigCode", GPT, multi_query=True),
    "OpenAI GPT": _of("OpenAIGPT", GPT),
    "CTRL": _of("CTRL", GPT, dff=40),
    "BLOOM": _of("Bloom", {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4, **SPECIAL}),
    "MPT": _of(
        "Mpt", {"vocab_size": VOCABULARY, "d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64, **SPECIAL},
    ),
    "Falcon": _of("Falcon", FALCON, new_decoder_architecture=True, num_kv_heads=2),
    "Falcon (multi-query, ALiBi)": _of("Falcon", FALCON, multi_query=True, alibi=True),
    "OPT": _of("OPT", LLAMA, ffn_dim=40, word_embed_proj_dim=32),
    "Llama": _of("Llama", LLAMA),
    "Mistral (window)": _of("Mistral", LLAMA, sliding_window=3),
    "Mixtral": _of("Mixtral", LLAMA, num_local_experts=2, num_experts_per_tok=1),
    "Qwen2": _of("Qwen2", LLAMA),
    "Qwen3": _of("Qwen3", LLAMA),
    "Gemma": _of("Gemma", LLAMA),
    "Gemma 2 (softcap)": _of("Gemma2", LLAMA, sliding_window=4, attn_logit_softcapping=2.0, query_pre_attn_scalar=8),
    "Gemma 3": _of("Gemma3Text", LLAMA, head="Model", sliding_window=4, query_pre_attn_scalar=8),
    "gpt-oss (sinks)": _of(
        "GptOss", LLAMA, sliding_window=4, num_local_experts=2, num_experts_per_tok=1,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "Phi": _of("Phi", LLAMA, partial_rotary_factor=0.5),
    "Phi-3": _of("Phi3", LLAMA),
    "StableLM": _of("StableLm", LLAMA, partial_rotary_factor=0.25),
    "Cohere": _of("Cohere", LLAMA, use_qk_norm=True),
    "GLM": _of("Glm", LLAMA, partial_rotary_factor=0.5),
    "OLMo": _of("Olmo", LLAMA),
    "OLMo 2": _of("Olmo2", LLAMA),
    "Starcoder 2": _of("Starcoder2", LLAMA, sliding_window=4),
    "Granite": _of("Granite", LLAMA, attention_multiplier=0.2),
    "SmolLM 3": _of("SmolLM3", LLAMA),
    "Nemotron": _of("Nemotron", LLAMA),
    "Persimmon": _of("Persimmon", LLAMA),
    "BioGPT": _of("BioGpt", LLAMA),
    "XGLM": _of(
        "XGLM",
        {"vocab_size": VOCABULARY, "d_model": 32, "num_layers": 2, "attention_heads": 4, "ffn_dim": 40, **SPECIAL},
    ),
    "Helium": _of("Helium", LLAMA),
    "EXAONE 4": _of("Exaone4", LLAMA, sliding_window=4),
    "DeepSeek V3 (MLA)": _of(
        "DeepseekV3", LLAMA, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=8, v_head_dim=8,
        n_routed_experts=2, num_experts_per_tok=1, n_group=1, topk_group=1, moe_intermediate_size=16,
        first_k_dense_replace=2, num_key_value_heads=4, head_dim=4,
    ),
    "Qwen3-Next (gated)": _of(
        "Qwen3Next", LLAMA, layer_types=["full_attention", "full_attention"], num_experts=2, num_experts_per_tok=1,
        moe_intermediate_size=16, shared_expert_intermediate_size=16, partial_rotary_factor=0.5,
    ),
    "Laguna (gated)": _of(
        "Laguna", LLAMA, num_experts=2, num_experts_per_tok=1, moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
    ),
    "Jamba": _of(
        "Jamba", LLAMA, num_hidden_layers=4, attn_layer_period=2, attn_layer_offset=1, num_experts=2,
        use_mamba_kernels=False, mamba_d_state=4, mamba_expand=1, mamba_dt_rank=4,
    ),
    # Encoder and decoder
    "T5": _of("T5", T5, takes="pair"),
    "mT5": _of("MT5", T5, takes="pair"),
    "LongT5": _of("LongT5", T5, takes="pair", encoder_attention_type="local", local_radius=3),
    "BART": _of("Bart", BART, takes="pair"),
    "mBART": _of("MBart", BART, takes="pair"),
    "Marian": _of("Marian", BART, takes="pair", decoder_vocab_size=VOCABULARY),
    "Pegasus": _of("Pegasus", BART, takes="pair"),
    "M2M100": _of("M2M100", BART, takes="pair"),
    "Blenderbot": _of("Blenderbot", BART, takes="pair"),
    "ProphetNet": _of(
        "ProphetNet", {"vocab_size": VOCABULARY, "hidden_size": 32, "num_encoder_layers": 3, "num_decoder_layers": 2,
        "num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4, "encoder_ffn_dim": 40,
        "decoder_ffn_dim": 40, "max_position_embeddings": 64, "decoder_start_token_id": 2, **SPECIAL}, takes="pair",
    ),
    # Images
    "ViT": _of("ViT", VIT, takes="image"),
    "DeiT": _of("DeiT", VIT, takes="image"),
    "DINOv2": _of("Dinov2", VIT, takes="image", mlp_ratio=1),
    "Swin": _of(
        "Swin",
        {"image_size": 16, "patch_size": 2, "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4], "window_size": 2},
        takes="image",
    ),
    "CLIP vision": _of("CLIPVision", VIT, takes="image"),
    "SigLIP vision": _of("SiglipVision", VIT, takes="image"),
    "BEiT": _of("Beit", VIT, takes="image", use_relative_position_bias=True),
}  # fmt: skip


def build(
    name: str, *, backend: str | None = None, **changes: Any
) -> tuple[PreTrainedModel, dict[str, Tensor]]:
    """The model with its default backend unless one is given, in evaluation mode, and inputs for it."""
    architecture = ARCHITECTURES[name]
    config = getattr(transformers, architecture.config)(**{**architecture.sizes, **changes})
    torch.manual_seed(0)
    if backend is not None:
        config._attn_implementation = backend
    model = getattr(transformers, architecture.model)(config).eval()
    _enliven(model)
    return model, inputs_for(architecture.takes)


def _enliven(model: PreTrainedModel) -> None:
    """Larger weights than a fresh model has, so that attention is not even and a wrong number shows; biases and norms
    that are not 0 and 1."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in (p for p in model.parameters() if p.requires_grad):
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.ndim >= 2:
                parameter.copy_(noise * (1.5 / parameter.shape[-1] ** 0.5))
            else:
                parameter.add_(0.2 * noise)


def inputs_for(takes: str, batch: int = 2) -> dict[str, Tensor]:
    """Random token ids without special ones, or an image."""
    generator = torch.Generator().manual_seed(2)
    if takes == "image":
        return {"pixel_values": torch.randn(batch, 3, 16, 16, generator=generator)}
    ids = torch.randint(5, VOCABULARY, (batch, TOKENS), generator=generator)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if takes == "pair":
        inputs["decoder_input_ids"] = torch.randint(5, VOCABULARY, (batch, TOKENS - 2), generator=generator)
    return inputs
