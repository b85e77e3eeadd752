"""Firefox's tiny translation model (Marian, 8 bit) into a folder in Hugging Face layout, for `en_pt.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from models.pretrained.en_pt_layers import MODEL_TYPE
from models.pretrained.marian_file import EMBEDDING, read_marian

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
HEADS = 8  # the file does not say; "transformer-heads: 8" in its description

_ATTENTION = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}


def convert(source: Path, target: Path) -> None:
    """Writes model.safetensors (float32), config.json and the tokenizer's files into the folder `target`.

    `source` holds one model.*.bin and the tokenizer.json that belongs to it. Raises ValueError if they don't fit.
    """
    (file,) = source.glob("model.*.bin")
    marian = read_marian(file)
    weights = _weights(marian)
    tokenizer = _tokenizer(source / "tokenizer.json")
    if tokenizer.get_vocab_size() != len(weights["shared.weight"]):
        raise ValueError(f"{tokenizer.get_vocab_size()} tokens for {len(weights['shared.weight'])} vectors")
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(target / "tokenizer.json"))
    _write_json(target / "config.json", _config(marian, tokenizer))
    _write_json(target / "tokenizer_config.json", _tokenizer_config())


def _weights(marian: dict[str, Tensor]) -> dict[str, Tensor]:
    vectors, bias = marian[EMBEDDING], marian["decoder_ff_logit_out_b"][0]
    weights = {  # one row more: before the first token Marian's decoder is given a vector of zeros
        "shared.weight": torch.cat([vectors, torch.zeros_like(vectors[:1])]),
        "output_bias": torch.cat([bias, torch.zeros_like(bias[:1])]),
    }
    for stack in ("encoder", "decoder"):
        for layer in range(1, _layers(marian, stack) + 1):
            old, new = f"{stack}_l{layer}", f"{stack}.layers.{layer - 1}"
            part, name = ("self", "self_attn") if stack == "encoder" else ("context", "encoder_attn")
            weights |= _attention(marian, f"{old}_{part}", f"{new}.{name}")
            weights |= _feed_forward(marian, f"{old}_ffn", f"{new}.ffn")
            if stack == "decoder":
                weights |= _recurrent(marian, f"{old}_rnn", f"{new}.rnn")
    return weights


def _layers(marian: dict[str, Tensor], stack: str) -> int:
    return len(
        {
            name.split("_")[1]
            for name in marian
            if name.startswith(f"{stack}_l") and name[len(stack) + 2].isdigit()
        }
    )


def _attention(marian: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    found = _norm(marian, f"{old}_Wo", f"{new}.norm")
    for letter, name in _ATTENTION.items():
        found |= _linear(marian[f"{old}_W{letter}"], marian[f"{old}_b{letter}"], f"{new}.{name}")
    return found


def _feed_forward(marian: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    found = _norm(marian, f"{old}_ffn", f"{new}.norm")
    for number in (1, 2):
        found |= _linear(marian[f"{old}_W{number}"], marian[f"{old}_b{number}"], f"{new}.fc{number}")
    return found


def _recurrent(marian: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    return (
        _norm(marian, f"{old}_ffn", f"{new}.norm")
        | _linear(marian[f"{old}_Wf"], marian[f"{old}_bf"], f"{new}.forget")
        | {f"{new}.candidate.weight": marian[f"{old}_W"].T.contiguous()}
    )


def _norm(marian: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    return {
        f"{new}.weight": marian[f"{old}_ln_scale"][0].clone(),
        f"{new}.bias": marian[f"{old}_ln_bias"][0].clone(),
    }


def _linear(weight: Tensor, bias: Tensor, name: str) -> dict[str, Tensor]:
    """Marian multiplies x·W (inputs × outputs), PyTorch x·Wᵀ."""
    return {f"{name}.weight": weight.T.contiguous(), f"{name}.bias": bias[0].clone()}


def _tokenizer(file: Path) -> Tokenizer:
    """The tokenizer as it is, with its special tokens known, the end of a sentence added, and the start as last id."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.add_special_tokens(
        [AddedToken(name, special=True, normalized=False) for name in (END, UNKNOWN, START)]
    )
    tokenizer.post_processor = TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, tokenizer.token_to_id(END))]
    )
    return tokenizer


def _config(marian: dict[str, Tensor], tokenizer: Tokenizer) -> dict[str, Any]:
    start = tokenizer.token_to_id(START)
    return {
        "architectures": ["FirefoxTranslator"],
        "model_type": MODEL_TYPE,
        "vocab_size": tokenizer.get_vocab_size(),
        "d_model": marian[EMBEDDING].shape[1],
        "ffn_dim": marian["encoder_l1_ffn_W1"].shape[1],
        "encoder_layers": _layers(marian, "encoder"),
        "decoder_layers": _layers(marian, "decoder"),
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "eos_token_id": tokenizer.token_to_id(END),
        "decoder_start_token_id": start,
        "pad_token_id": start,
        "dtype": "float32",
    }


def _tokenizer_config() -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "unk_token": UNKNOWN,
        "pad_token": START,
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1024,
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
