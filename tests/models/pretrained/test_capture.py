"""What a capture keeps, restores, numbers and says, on inputs that broke other tools."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn
from transformers import AttentionInterface, MambaConfig, MambaModel

from models.errors import InputError
from models.explain import explain
from models.pretrained.capture import capture_calls
from tests.models.pretrained.architectures import LLAMA, TOKENS, build
from tests.models.pretrained.test_architectures import all_weights, assert_sampled_cells


def ids(batch: int = 1, tokens: int = TOKENS, seed: int = 3) -> Tensor:
    return torch.randint(5, 60, (batch, tokens), generator=torch.Generator().manual_seed(seed))


def test_everything_is_restored() -> None:
    model, inputs = build("BLOOM")
    before = dict(AttentionInterface.__dict__)
    capture_calls(model, **inputs)
    assert dict(AttentionInterface.__dict__) == before
    assert not any(module._forward_pre_hooks or module._forward_hooks for module in model.modules())


def test_everything_is_restored_after_an_error() -> None:
    model, _ = build("Llama")
    before = dict(AttentionInterface.__dict__)
    with pytest.raises(Exception):  # noqa: B017, PT011
        capture_calls(model, input_ids="not a tensor")
    assert dict(AttentionInterface.__dict__) == before
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_a_model_in_training_is_refused() -> None:
    model, inputs = build("BERT")
    with pytest.raises(InputError) as caught:
        capture_calls(model.train(), **inputs)
    assert caught.value.key == "model_in_training"


def test_a_model_without_attention_says_so() -> None:
    config = MambaConfig(vocab_size=60, hidden_size=16, num_hidden_layers=1, state_size=4)
    with pytest.raises(InputError, match="no attention") as caught:
        capture_calls(MambaModel(config).eval(), input_ids=ids())
    assert caught.value.key == "no_attention"
    assert caught.value.values == {"model": "MambaModel"}


def test_only_queries_keys_and_values_are_kept() -> None:
    model, _ = build("Llama")
    call = capture_calls(model, input_ids=ids(tokens=50)).calls[0]
    kept = [call.recorded.query, call.recorded.key, call.recorded.value]
    assert max(t.untyped_storage().nbytes() for t in kept) <= 2 * 50 * 32 * 4
    assert call.recorded.weights is None


@pytest.mark.parametrize("name", ["BERT", "DistilBERT", "DeBERTa v2", "T5"])
def test_padding_is_masked_and_marked(name: str) -> None:
    model, inputs = build(name)
    inputs["attention_mask"][1, -3:] = 0
    eager, _ = build(name, backend="eager")
    output = eager(**inputs, output_attentions=True)
    attentions = output.encoder_attentions if name == "T5" else output.attentions
    for call, weights in zip(capture_calls(model, **inputs).calls, attentions, strict=False):
        assert call.padded is not None
        assert call.padded[1].tolist() == [False] * (TOKENS - 3) + [True] * 3
        seen = ~call.padded[:, None, :, None].expand_as(weights)  # rows of padding differ between backends
        assert ((all_weights(call) - weights).abs() * seen).max() < 1e-5
        trace = call.trace(0, batch=1)
        assert trace.padded is not None
        assert trace.padded[-1]
        assert trace.mask is not None
        assert not trace.mask[:, -3:].any()
        assert trace["weights"].value[0, 0, -3:].tolist() == [0, 0, 0]
        assert_sampled_cells(trace, random.Random(0))


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "BLOOM", "Gemma 3", "gpt-oss (sinks)"])
def test_left_padding_on_a_causal_model(name: str) -> None:
    model, inputs = build(name)
    inputs["attention_mask"][1, :2] = 0
    eager, _ = build(name, backend="eager")
    attentions = eager(**inputs, output_attentions=True).attentions
    for call, weights in zip(capture_calls(model, **inputs).calls, attentions, strict=True):
        ours = all_weights(call)
        assert not ours.isnan().any()
        assert (ours[1, :, 2:, :2] == 0).all()
        assert (ours[1, :, 2:] - weights[1, :, 2:]).abs().max() < 1e-5
        assert call.padded is not None
        assert call.padded[1].tolist() == [True, True] + [False] * (TOKENS - 2)
        for head in range(call.heads):
            assert_sampled_cells(call.trace(head, batch=1), random.Random(head))


def test_a_row_that_sees_nothing_is_zero_and_flagged() -> None:
    model, inputs = build("Llama")
    mask = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
    mask[4] = False
    call = capture_calls(
        model, input_ids=inputs["input_ids"], attention_mask=mask[None, None].expand(2, 1, -1, -1)
    ).calls[0]
    trace = call.trace(1)
    assert trace.empty_rows is not None
    assert trace.empty_rows[0].tolist() == [i == 4 for i in range(TOKENS)]
    assert trace["weights"].value[0, 4].tolist() == [0] * TOKENS
    assert explain(trace, "weights", (0, 4, 0)).evaluate() == 0


@pytest.mark.parametrize("name", ["Llama", "T5", "BLOOM"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_shown_in_float32(name: str, dtype: torch.dtype) -> None:
    model, inputs = build(name)
    for call in capture_calls(model.to(dtype), **inputs).calls:
        trace = call.trace(1)
        assert all(step.value.dtype == torch.float32 for step in trace.steps)
        assert torch.equal(trace["query"].value[0], call.recorded.query[0, 1].float())
        assert any(str(dtype).removeprefix("torch.") in note for note in call.notes)
        assert not any("differ from the model's own by" in note for note in call.notes)
        assert_sampled_cells(trace, random.Random(0))


@pytest.mark.parametrize("name", ["BERT", "Llama", "GPT-Neo"])
def test_numbers_that_are_none_stay_visible(name: str) -> None:
    """A NaN in one token's vector: its row is NaN, the others are explained as ever."""
    model, inputs = build(name)
    vectors = model.get_input_embeddings()(inputs["input_ids"]).detach().clone()
    vectors[0, -1, 0] = torch.nan
    call = capture_calls(model, inputs_embeds=vectors).calls[0]
    trace = call.trace(0)
    assert trace["scores"].value[0, -1].isnan().all()
    assert trace["weights"].value[0, -1].isnan().any()
    assert_sampled_cells(trace, random.Random(0), count=12)
    if name == "Llama":
        assert not trace["weights"].value[0, :-1].isnan().any()
        assert call.origin("query") is not None


def test_stacks_of_different_depth_keep_their_own_layers() -> None:
    model, inputs = build("BART")
    calls = capture_calls(model, **inputs).calls
    assert [(c.stream, c.kind, c.layer) for c in calls] == [
        ("encoder", "self", 0), ("encoder", "self", 1), ("encoder", "self", 2),
        ("decoder", "self", 0), ("decoder", "cross", 0), ("decoder", "self", 1), ("decoder", "cross", 1),
    ]  # fmt: skip
    cross = calls[4]
    assert (cross.queries, cross.keys) == (TOKENS - 2, TOKENS)
    assert cross.trace(0)["context"].value.shape == (TOKENS, 32)


def test_one_module_run_three_times_is_three_layers() -> None:
    model, inputs = build("ALBERT")
    calls = capture_calls(model, **inputs).calls
    assert [call.layer for call in calls] == [0, 1, 2]
    assert len({call.name for call in calls}) == 1


def test_images_and_texts_are_streams() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 1, "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        text_config={**sizes, "vocab_size": 60, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0},
        vision_config={**sizes, "image_size": 16, "patch_size": 8},
    )
    model = transformers.CLIPModel(config).eval()
    calls = capture_calls(model, input_ids=ids(), pixel_values=torch.randn(1, 3, 16, 16)).calls
    assert {(call.stream, call.kind) for call in calls} == {("vision", "self"), ("text", "self")}


def test_cross_attention_of_gpt2_is_known_by_its_attribute() -> None:
    model, _ = build("GPT-2", add_cross_attention=True)
    calls = capture_calls(model, input_ids=ids(), encoder_hidden_states=torch.randn(1, 4, 32)).calls
    assert [(c.kind, c.layer, c.keys) for c in calls] == [
        ("self", 0, TOKENS), ("cross", 0, 4), ("self", 1, TOKENS), ("cross", 1, 4)
    ]  # fmt: skip
    assert calls[1].origin("key") is not None


def test_sinks_take_their_share() -> None:
    model, inputs = build("gpt-oss (sinks)")
    call = capture_calls(model, **inputs).calls[1]
    sums, mass = call.weights(2).sum(-1), call.sink_mass(2)
    assert mass is not None
    assert (sums < 0.999).any()
    torch.testing.assert_close(sums + mass, torch.ones(TOKENS))
    trace = call.trace(2)
    torch.testing.assert_close(trace["sink_mass"].value[0], mass)
    found = explain(trace, "weights", (0, 3, 1))
    assert [term.label for term in found.terms][-1] == "⟨sink⟩"
    assert len(found.terms) == TOKENS + 1
    assert any("sink" in note for note in call.notes)


def test_a_window_masks_what_is_further_away() -> None:
    model, inputs = build("Mistral (window)")
    call = capture_calls(model, **inputs).calls[0]
    trace = call.trace(0)
    assert call.recorded.window == 3
    assert trace.mask is not None
    expected = torch.tensor([[0 <= i - j < 3 for j in range(TOKENS)] for i in range(TOKENS)])
    assert torch.equal(trace.mask, expected)
    assert any("window" in note for note in call.notes)


def test_what_is_not_seen_is_listed() -> None:
    model, inputs = build("LongT5")
    captured = capture_calls(model, **inputs)
    assert set(captured.unseen.values()) == {"LongT5LocalAttention", "LongT5LayerLocalSelfAttention"}
    assert {call.stream for call in captured.calls} == {"decoder"}
    assert "LongT5LocalAttention" in captured.notes[0]


class OddAttention(nn.Module):
    """Normalises squares instead of exponentials: no softmax to follow."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        squares = (x @ x.transpose(-1, -2)).square()
        weights = squares / squares.sum(-1, keepdim=True)
        return weights @ x, weights


class OddModel(nn.Module):
    """Returns weights only when asked."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = OddAttention()

    def forward(self, x: Tensor, output_attentions: bool = False) -> Any:
        out, weights = self.attention(x)
        names = {"last_hidden_state": out, "attentions": (weights[:, None],) if output_attentions else None}
        return type("Output", (), names)()


def test_weights_alone_are_the_last_resort() -> None:
    x = torch.randn(1, 5, 8)
    captured = capture_calls(OddModel().eval(), x=x)
    assert captured.tier == 3
    (call,) = captured.calls
    torch.testing.assert_close(call.weights(0), OddAttention()(x)[1][0])
    trace = call.trace(0)
    assert trace.names == ("weights",)
    assert_sampled_cells(trace, random.Random(0))
    assert "Only the weights" in call.notes[0]


def test_attention_that_cannot_be_seen_is_named() -> None:
    class Silent(OddModel):
        def forward(self, x: Tensor) -> Any:  # type: ignore[override]
            return self.attention(x)[0]

    with pytest.raises(InputError, match="OddAttention") as caught:
        capture_calls(Silent().eval(), x=torch.randn(1, 5, 8))
    assert caught.value.key == "attention_unseen"


def test_one_token() -> None:
    for name in ("BERT", "Llama", "BLOOM"):
        model, _ = build(name)
        trace = capture_calls(model, input_ids=ids(tokens=1)).calls[0].trace(3)
        assert trace["weights"].value.tolist() == [[[1.0]]]
        assert_sampled_cells(trace, random.Random(0))


def test_one_layer_without_rotation_beside_one_with() -> None:
    """SmolLM3 leaves rotation out in some layers: each call says for itself."""
    config = transformers.SmolLM3Config(**{**LLAMA, "no_rope_layers": [1, 0]})
    calls = capture_calls(transformers.SmolLM3Model(config).eval(), input_ids=ids()).calls
    assert ["query_rotated" in call.trace(0) for call in calls] == [True, False]
