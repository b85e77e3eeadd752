"""A Llama in GGUF (the file format of llama.cpp) into a folder in Hugging Face layout, with its tokenizer.

Quantised weights become float16: the numbers that the quantised file stands for, not those of the original model.
Format: github.com/ggml-org/ggml, docs/gguf.md. Needs the package `gguf`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

CONTROL = 3  # GGUF's token type of special tokens

_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OTHER_NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}


def convert(source: Path, target: Path) -> None:
    """Writes model.safetensors, config.json and the tokenizer's files into the folder `target`.

    `source` is a folder with one .gguf file. Raises ValueError for another architecture or tokenizer.
    """
    (file,) = source.glob("*.gguf")
    reader = GGUFReader(file)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    if fields["general.architecture"] != "llama" or fields["tokenizer.ggml.pre"] != "smollm":
        raise ValueError("a Llama model with SmolLM's tokenizer was expected")
    weights = _weights(reader, fields)
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    _write_json(target / "config.json", _config(fields, tied="lm_head.weight" not in weights))
    _tokenizer(fields).save(str(target / "tokenizer.json"))
    _write_json(target / "tokenizer_config.json", _tokenizer_config(fields))


def _weights(reader: GGUFReader, fields: dict[str, Any]) -> dict[str, Tensor]:
    heads = {
        "attn_q": fields["llama.attention.head_count"],
        "attn_k": fields["llama.attention.head_count_kv"],
    }
    weights = {}
    for tensor in reader.tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type), dtype=torch.float16)
        part = tensor.name.removesuffix(".weight").rpartition(".")[2]
        if part in heads:
            weight = unpermute(weight, heads[part])
        weights[_name(tensor.name)] = weight.contiguous()
    return weights


def _name(name: str) -> str:
    """Our name of a GGUF tensor: "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight"."""
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    _, layer, part, suffix = name.split(".")
    return f"model.layers.{layer}.{_LAYER_NAMES[part]}.{suffix}"


def unpermute(weight: Tensor, heads: int) -> Tensor:
    """Rows of a projection (H·K × D) back in the order of Hugging Face.

    Rotation pairs dimensions (0, 1), (2, 3) … in llama.cpp, and (0, K/2), (1, K/2 + 1) … in transformers; llama.cpp's
    converter reorders the rows of W_Q and W_K accordingly.
    """
    rows, width = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)  # HK D


def _config(fields: dict[str, Any], tied: bool) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": fields["llama.embedding_length"],
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": fields["llama.attention.head_count"],
        "num_key_value_heads": fields["llama.attention.head_count_kv"],
        "max_position_embeddings": fields["llama.context_length"],
        "rms_norm_eps": fields["llama.attention.layer_norm_rms_epsilon"],
        "rope_parameters": {"rope_type": "default", "rope_theta": fields["llama.rope.freq_base"]},
        "vocab_size": len(fields["tokenizer.ggml.tokens"]),
        "tie_word_embeddings": tied,
        "hidden_act": "silu",
        "bos_token_id": fields["tokenizer.ggml.bos_token_id"],
        "eos_token_id": fields["tokenizer.ggml.eos_token_id"],
        "pad_token_id": fields["tokenizer.ggml.padding_token_id"],
        "dtype": "float16",
    }


def _tokenizer(fields: dict[str, Any]) -> Tokenizer:
    """Byte-level BPE that takes digits one by one, as llama.cpp's "smollm"."""
    pieces, types = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), byte_level]
    )
    tokenizer.decoder = decoders.ByteLevel()
    special = [piece for piece, kind in zip(pieces, types, strict=True) if kind == CONTROL]
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in special])
    return tokenizer


def _tokenizer_config(fields: dict[str, Any]) -> dict[str, Any]:
    pieces = fields["tokenizer.ggml.tokens"]
    names = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
    special = {
        f"{ours}_token": pieces[fields[f"tokenizer.ggml.{theirs}_token_id"]] for ours, theirs in names.items()
    }
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": fields["llama.context_length"],
        "chat_template": fields["tokenizer.chat_template"],
        **special,
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
