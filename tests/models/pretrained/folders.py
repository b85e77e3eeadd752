"""Model folders with small random models in them, in Hugging Face layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers as hf

from tests.models.pretrained.tokenizers_for_tests import CORPUS, tokenizer_for

SIZES: dict[str, Any] = {
    "vocab_size": 400,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
SPECIAL: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
HALVES: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 1,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}


def save(folder: Path, model: Any, scheme: str | None = "byte_level") -> Path:
    model.save_pretrained(folder)
    if scheme:
        tokenizer_for(scheme).save_pretrained(folder)
    return folder


def seeded(cls: Any, config: Any) -> Any:
    torch.manual_seed(5)
    return cls(config)


def llama(**changes: Any) -> Any:
    sizes = {**SIZES, **SPECIAL, "num_key_value_heads": 2, "max_position_embeddings": 64, **changes}
    return seeded(hf.LlamaForCausalLM, hf.LlamaConfig(**sizes))


def bert(cls: Any = hf.BertModel, **changes: Any) -> Any:
    return seeded(cls, hf.BertConfig(**{**SIZES, "max_position_embeddings": 64, **changes}))


def roberta() -> Any:
    return seeded(hf.RobertaModel, hf.RobertaConfig(**SIZES, max_position_embeddings=66))


def bloom() -> Any:
    config = hf.BloomConfig(vocab_size=400, hidden_size=32, n_layer=2, n_head=4, **SPECIAL)
    return seeded(hf.BloomForCausalLM, config)


def mamba() -> Any:
    return seeded(
        hf.MambaForCausalLM, hf.MambaConfig(vocab_size=400, hidden_size=32, num_hidden_layers=2, **SPECIAL)
    )


def jamba(**changes: Any) -> Any:
    """Attention in layers 1 and 3 of 4, Mamba in the others."""
    sizes: dict[str, Any] = {
        **SIZES, **SPECIAL, "num_hidden_layers": 4, "num_key_value_heads": 2, "attn_layer_period": 2,
        "attn_layer_offset": 1, "num_experts": 2, "use_mamba_kernels": False, "mamba_d_state": 4, "mamba_expand": 1,
        "mamba_dt_rank": 4,
    }  # fmt: skip
    return seeded(hf.JambaForCausalLM, hf.JambaConfig(**{**sizes, **changes}))


def vit() -> Any:
    sizes = {name: value for name, value in SIZES.items() if name != "vocab_size"}
    return seeded(hf.ViTModel, hf.ViTConfig(**sizes, image_size=16, patch_size=8))


def t5() -> Any:
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_heads": 4, "num_layers": 2, "num_decoder_layers": 3}
    return seeded(
        hf.T5ForConditionalGeneration, hf.T5Config(vocab_size=400, decoder_start_token_id=0, **sizes)
    )


def marian(vocabulary: int = 400) -> Any:
    config = hf.MarianConfig(
        vocab_size=vocabulary,
        max_position_embeddings=40,
        pad_token_id=0,
        decoder_start_token_id=0,
        eos_token_id=1,
        **HALVES,
    )
    return seeded(hf.MarianMTModel, config)


def opus(folder: Path) -> Path:
    """A translator as the OPUS-MT ones are: two SentencePiece models and no tokenizer.json."""
    (folder / "corpus.txt").write_text("\n".join(CORPUS), "utf-8")
    for side in ("source", "target"):
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / "corpus.txt"),
            model_prefix=str(folder / side),
            vocab_size=60,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
        (folder / f"{side}.vocab").unlink()
    (folder / "corpus.txt").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    names = dict.fromkeys(["</s>", "<unk>", *pieces, "<pad>"])
    (folder / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate(names)}), "utf-8")
    settings = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "pt"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return save(folder, marian(len(names)), None)
