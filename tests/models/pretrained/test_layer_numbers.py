"""Layers have the model's own numbers; those without softmax attention and those that share a module are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf

from models.generation.writers import writer_for, writes
from models.pretrained import PretrainedModel, load_model
from models.pretrained.layer_list import spans
from models.pretrained.naming import layer_numbers
from tests.models.pretrained import folders
from tests.models.pretrained.folders import SIZES, SPECIAL, save

DECODER = ("decoder", "self")


def opened(folder: Path, model: Any, scheme: str = "byte_level") -> PretrainedModel:
    model = load_model(save(folder, model, scheme))
    assert isinstance(model, PretrainedModel)
    return model


def linear_and_full() -> Any:
    kinds = ["linear_attention", "full_attention", "linear_attention", "full_attention"]
    config = hf.Qwen3NextConfig(
        **{**SIZES, **SPECIAL, "num_hidden_layers": 4}, num_key_value_heads=2, head_dim=8, layer_types=kinds,
        num_experts=2, num_experts_per_tok=1, moe_intermediate_size=16, shared_expert_intermediate_size=16,
        linear_num_key_heads=2, linear_num_value_heads=2, linear_key_head_dim=8, linear_value_head_dim=8,
    )  # fmt: skip
    return folders.seeded(hf.Qwen3NextForCausalLM, config)


def recurrent() -> Any:
    config = hf.RecurrentGemmaConfig(
        **{**SIZES, **SPECIAL, "num_hidden_layers": 3}, num_key_value_heads=2, lru_width=32, head_dim=8
    )
    return folders.seeded(hf.RecurrentGemmaForCausalLM, config)


@pytest.mark.parametrize(
    ("make", "layers", "others"),
    [
        (folders.jamba, (1, 3), {0: "JambaMambaMixer", 2: "JambaMambaMixer"}),
        (linear_and_full, (1, 3), {0: "Qwen3NextGatedDeltaNet", 2: "Qwen3NextGatedDeltaNet"}),
        (recurrent, (2,), {0: "RecurrentGemmaRecurrentBlock", 1: "RecurrentGemmaRecurrentBlock"}),
        (folders.llama, (0, 1), {}),
    ],
)
def test_layers_with_attention_keep_their_numbers(
    make: Any, layers: tuple[int, ...], others: dict[int, str], tmp_path: Path
) -> None:
    model = opened(tmp_path, make())
    assert model.info.numbers == {DECODER: layers}
    assert model.info.layers == {DECODER: len(layers)}
    assert model.info.others == ({DECODER: others} if others else {})
    trace = model.trace("the quick brown fox")
    for layer in layers:
        call = trace.layer(layer)
        assert call.layer == layer
        assert f".{layer}." in f".{call.name}."
    for layer in others:
        with pytest.raises(KeyError, match=f"decoder self: {spans(layers)}"):
            trace.layer(layer)


def test_layers_that_share_one_module_are_numbered_in_turn_and_named(tmp_path: Path) -> None:
    config = hf.AlbertConfig(**{**SIZES, "num_hidden_layers": 4}, embedding_size=16, num_hidden_groups=2)
    model = opened(tmp_path, folders.seeded(hf.AlbertModel, config), "wordpiece")
    assert model.info.numbers == {("encoder", "self"): (0, 1, 2, 3)}
    assert model.info.shared == {("encoder", "self"): ((0, 1), (2, 3))}
    assert opened(tmp_path / "llama", folders.llama()).info.shared == {}


@pytest.mark.parametrize(
    ("paths", "numbers"),
    [
        (["model.layers.1.attn", "model.layers.3.attn"], [1, 3]),
        (["h.0.attn", "h.1.attn"], [0, 1]),
        (["stages.0.blocks.0.attn", "stages.0.blocks.1.attn", "stages.1.blocks.0.attn"], [0, 1, 2]),
        (["group.0.attn", "group.0.attn", "group.0.attn"], [0, 1, 2]),
        (["start.0.attn", "middle.0.attn", "middle.1.attn"], [0, 1, 2]),
        (["encoder.block.2.layer.0.attn", "encoder.block.5.layer.0.attn"], [2, 5]),
        (["attn", "attn"], [0, 1]),
        (["layer12.attn.3"], [3]),
    ],
)
def test_numbers_of_paths(paths: list[str], numbers: list[int]) -> None:
    assert layer_numbers(paths) == numbers


def test_spans() -> None:
    assert spans([0, 1, 2, 5, 7, 8]) == "0–2, 5, 7–8"
    assert spans([3]) == "3"


@pytest.mark.parametrize("family", ["Bert", "Roberta", "Electra"])
def test_an_encoder_by_name_that_sees_nothing_later_is_a_decoder_and_writes(
    family: str, tmp_path: Path
) -> None:
    """`is_decoder` makes a language model of an encoder's class; its modules are still called encoder."""
    sizes: Any = {
        **SIZES,
        "max_position_embeddings": 64,
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 3,
    }
    name = {"Bert": "BertLMHeadModel"}.get(family, f"{family}ForCausalLM")
    config = getattr(hf, f"{family}Config")(**sizes, is_decoder=True)
    model = opened(tmp_path, folders.seeded(getattr(hf, name), config), "wordpiece")
    assert model.info.layers == {DECODER: 2}
    assert not model.takes_pairs
    assert writes(model)
    call = model.trace("the quick brown fox").layer(1)
    assert call.stream == "decoder"
    assert float(call.weights(0).triu(1).abs().sum()) == 0
    assert writer_for(model) is not None
    assert model.trace("the").layers == {DECODER: 2}, "a short text changes nothing"


def test_the_same_class_without_that_flag_is_an_encoder(tmp_path: Path) -> None:
    model = opened(tmp_path, folders.bert(hf.BertForMaskedLM), "wordpiece")
    assert model.info.layers == {("encoder", "self"): 2}
    assert model.takes_pairs
    assert not writes(model)
    assert torch.isfinite(model.trace("a", "b").layer(0).weights(0)).all()
