"""Rows and columns are tokens only if they are, and a part of an attention is never shown as the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor, nn

from models.errors import InputError
from models.head_roles import call_shares
from models.pretrained import PretrainedModel, load_model
from models.pretrained.capture import capture_calls
from tests.models.pretrained import folders
from tests.models.pretrained.architectures import ARCHITECTURES, BART, BERT, build
from tests.models.pretrained.test_unchanged import sparse


def tokens(count: int) -> Tensor:
    return torch.arange(5, 5 + count)[None]


def longformer(window: int = 4) -> Any:
    return folders.seeded(hf.LongformerModel, hf.LongformerConfig(**BERT, attention_window=window)).eval()


@pytest.mark.parametrize(("window", "count"), [(4, 16), (4, 5), (6, 7), (4, 8)])
def test_distances_in_a_window_are_no_tokens(window: int, count: int) -> None:
    """A Longformer returns one column per distance; with as many tokens as its window is wide only what they mean tells
    them apart."""
    with pytest.raises(InputError) as caught:
        capture_calls(longformer(window), input_ids=tokens(count))
    assert caught.value.key == "attention_in_parts"
    assert "LongformerSelfAttention" in str(caught.value)


def test_global_and_local_attention_beside_a_decoder() -> None:
    """Of a translator of that family only the decoder is shown, and what is missing is named."""
    config = hf.LEDConfig(**BART, attention_window=4, max_encoder_position_embeddings=64)
    model = folders.seeded(hf.LEDModel, config).eval()
    captured = capture_calls(model, input_ids=tokens(16), decoder_input_ids=tokens(6))
    assert {call.stream for call in captured.calls} == {"decoder"}
    assert "LEDEncoderSelfAttention" in captured.unseen.values()


@pytest.mark.parametrize("pegasus", [False, True])
def test_blocks_are_parts(pegasus: bool) -> None:
    """A BigBird attends in full to a short text and in blocks to a longer one."""
    model = sparse(pegasus).eval()
    more = {"decoder_input_ids": tokens(5)} if pegasus else {}
    short = [c for c in capture_calls(model, input_ids=tokens(7), **more).calls if c.stream == "encoder"]
    assert {(call.queries, call.keys) for call in short} == {(7, 7)}
    if not pegasus:
        with pytest.raises(InputError) as caught:
            capture_calls(model, input_ids=tokens(24))
        assert caught.value.key == "attention_in_parts"
        return
    long = capture_calls(model, input_ids=tokens(24), **more)
    assert {call.stream for call in long.calls} == {"decoder"}
    assert set(long.unseen.values()) == {"BigBirdPegasusBlockSparseAttention"}


def test_streams_are_parts_and_their_rows_no_tokens() -> None:
    """ProphetNet's decoder reads the text in one stream and predicts in two more, with an attention for each."""
    model, inputs = build("ProphetNet")
    captured = capture_calls(model, **inputs)
    assert "ProphetNetNgramSelfAttention" in captured.unseen.values()
    assert {(call.stream, call.kind) for call in captured.calls} == {
        ("encoder", "self"),
        ("decoder", "cross"),
    }


class TwoSoftmaxes(nn.Module):
    """Half of each output comes from the keys before, half from all: two attentions in one module."""

    def forward(self, x: Tensor) -> Tensor:
        scores = x @ x.transpose(-1, -2)
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return (scores.softmax(-1) @ x + scores.masked_fill(hidden, -1e9).softmax(-1) @ x) / 2


def test_two_attentions_in_one_module_are_parts() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = type("TwoAttention", (TwoSoftmaxes,), {})()

        def forward(self, x: Tensor) -> Any:
            return self.attention(x)

    with pytest.raises(InputError) as caught:
        capture_calls(Model().eval(), x=torch.randn(1, 4, 5, 8))
    assert caught.value.key == "attention_in_parts"


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_no_call_of_the_zoo_is_one_of_several_of_a_layer(name: str) -> None:
    model, inputs = build(name)
    calls = capture_calls(model, **inputs).calls
    assert len({(call.stream, call.kind, call.layer) for call in calls}) == len(calls)
    if "input_ids" not in inputs or name == "ProphetNet":
        return
    read = inputs["input_ids"].shape[1]
    written = inputs.get("decoder_input_ids", inputs["input_ids"]).shape[1]
    for call in calls:
        encoder = call.stream == "encoder"
        assert (call.queries, call.keys) == (
            read if encoder else written,
            read if encoder or call.kind == "cross" else written,
        )


def test_pooled_rows_have_no_names_of_tokens(tmp_path: Path) -> None:
    config = hf.FunnelConfig(
        vocab_size=400, d_model=32, n_head=4, d_head=8, d_inner=40, block_sizes=[1, 1], num_decoder_layers=1
    )
    model = load_model(folders.save(tmp_path, folders.seeded(hf.FunnelModel, config), "wordpiece"))
    assert isinstance(model, PretrainedModel)
    trace = model.trace("the quick brown fox")
    whole, pooled = trace.layer(0, "encoder"), trace.layer(1, "encoder")
    assert whole.of_tokens
    assert not pooled.of_tokens
    assert pooled.queries < pooled.keys
    weights = torch.stack([pooled.weights(head) for head in range(pooled.heads)])
    assert "previous" not in call_shares(pooled, weights, trace.tokens)
    assert "previous" in call_shares(whole, torch.stack([whole.weights(0)]), trace.tokens)
