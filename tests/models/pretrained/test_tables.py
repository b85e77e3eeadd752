"""What a tokenizer gives is held against the model's tables: tokens, types, positions, and lengths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf

from models.errors import InputError
from models.pretrained import PretrainedModel, load_model
from models.pretrained.tables import position_count, type_count
from tests.models.pretrained import folders
from tests.models.pretrained.architectures import BART
from tests.models.pretrained.folders import SIZES, save


def opened(folder: Path, model: Any, scheme: str = "wordpiece") -> PretrainedModel:
    save(folder, model, scheme)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    names = ["input_ids", "token_type_ids", "attention_mask"]  # as BERT's tokenizers have it
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "model_input_names": names}))
    found = load_model(folder)
    assert isinstance(found, PretrainedModel)
    return found


@pytest.mark.parametrize("types", [1, 2, 4])
def test_a_pair_is_read_whatever_types_the_model_has(types: int, tmp_path: Path) -> None:
    """With one type both sentences are of it, as in RoBERTa; with two they are told apart."""
    model = opened(tmp_path, folders.bert(type_vocab_size=types))
    trace = model.trace("the fox", "the dog")
    assert ("token_type_ids" in trace.inputs) == (types > 1)
    assert "token_type_ids" in model.encoder.encode("the fox", "the dog", limit=20).inputs
    assert len(trace.layer(0).query_labels or ()) == trace.inputs["input_ids"].shape[1]
    with torch.inference_mode():
        zeros = model.module(
            trace.inputs["input_ids"], token_type_ids=torch.zeros_like(trace.inputs["input_ids"])
        )
    same = torch.allclose(zeros.last_hidden_state, trace.output.last_hidden_state, atol=1e-6)
    assert same == (types == 1)


@pytest.mark.parametrize("family", ["Electra", "RoFormer", "ConvBert"])
def test_one_type_in_other_families(family: str, tmp_path: Path) -> None:
    config = getattr(hf, f"{family}Config")(
        **SIZES, max_position_embeddings=64, embedding_size=32, type_vocab_size=1
    )
    model = opened(tmp_path, folders.seeded(getattr(hf, f"{family}Model"), config))
    assert type_count(model.module) == 1
    assert model.trace("the fox", "the dog").calls


def test_a_model_without_types_has_no_table() -> None:
    assert type_count(folders.llama()) is None


def led() -> Any:
    config = hf.LEDConfig(
        **{**BART, "vocab_size": 400, "pad_token_id": 1}, attention_window=4, max_encoder_position_embeddings=32,
        max_decoder_position_embeddings=24,
    )  # fmt: skip
    return folders.seeded(hf.LEDForConditionalGeneration, config)


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (folders.bert, 64),
        (folders.roberta, 64),
        (folders.llama, None),
        (folders.t5, None),
        (
            lambda: folders.seeded(
                hf.OPTModel, hf.OPTConfig(**{**SIZES, "max_position_embeddings": 30}, ffn_dim=64)
            ),
            30,
        ),
        (lambda: folders.seeded(hf.BartModel, hf.BartConfig(**{**BART, "max_position_embeddings": 20})), 20),
        (led, 24),
    ],
)
def test_positions_are_those_of_the_smallest_table(make: Any, count: int | None) -> None:
    assert position_count(make()) == count


@pytest.mark.parametrize("make", [folders.bert, folders.roberta, led])
def test_a_text_is_cut_where_positions_end(make: Any, tmp_path: Path) -> None:
    """Read to the last position and not one further: the next would have no vector."""
    model = opened(tmp_path, make())
    count = position_count(model.module)
    assert model.info.max_positions == count
    trace = model.trace("the quick brown fox " * 30, target="the fox " * 40 if make is led else None)
    assert all(len(tokens) <= (count or 0) for tokens in trace.tokens.values())
    assert trace.tokens["encoder"].cut > 0


def test_a_target_that_the_decoder_has_no_vector_for(tmp_path: Path) -> None:
    """Marian may have a smaller table for what it writes than for what it reads."""
    config = hf.MarianConfig(
        vocab_size=400, decoder_vocab_size=20, share_encoder_decoder_embeddings=False, pad_token_id=0,
        decoder_start_token_id=0, eos_token_id=1, max_position_embeddings=40, **folders.HALVES,
    )  # fmt: skip
    model = folders.seeded(hf.MarianModel, config)
    with pytest.raises(InputError) as caught:
        opened(tmp_path, model, "metaspace").trace("the fox", target="the quick brown fox jumps")
    assert caught.value.key == "model_tokenizer_differs"
    assert caught.value.values["vocabulary"] == 20
