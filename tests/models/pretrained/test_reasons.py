"""A reason is what was really found: what a model takes in, which file is at fault, what it asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from tokenizers import Tokenizer
from torch import Tensor, nn

from models.errors import InputError
from models.pretrained import PretrainedModel, assemble, load_model
from models.pretrained.capture import capture_calls
from models.pretrained.tokenizer_file import TEXTS
from tests.models.pretrained import folders
from tests.models.pretrained.folders import SIZES, save, seeded

TINY: dict[str, Any] = {name: size for name, size in SIZES.items() if name != "vocab_size"}


def refused(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load_model(folder)
    return caught.value


def dinov2() -> Any:
    return seeded(hf.Dinov2Model, hf.Dinov2Config(**TINY, image_size=16, patch_size=8))


def wav2vec2() -> Any:
    config = hf.Wav2Vec2Config(
        **SIZES, conv_dim=(16, 16), conv_kernel=(4, 4), conv_stride=(2, 2), num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
    )  # fmt: skip
    return seeded(hf.Wav2Vec2Model, config)


def whisper() -> Any:
    config = hf.WhisperConfig(
        vocab_size=400, num_mel_bins=8, max_source_positions=20, max_target_positions=20, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, **folders.HALVES,
    )  # fmt: skip
    return seeded(hf.WhisperForConditionalGeneration, config)


@pytest.mark.parametrize("scheme", [None, "byte_level"])
@pytest.mark.parametrize(
    ("make", "key", "taken"),
    [
        (folders.vit, "model_reads_pictures", "pixel_values"),
        (dinov2, "model_reads_pictures", "pixel_values"),
        (wav2vec2, "model_reads_sound", "input_values"),
        (whisper, "model_reads_sound", "input_features"),
    ],
)
def test_a_model_of_another_sense_says_which(
    make: Any, key: str, taken: str, scheme: str | None, tmp_path: Path
) -> None:
    """No tokenizer would help it, whether there is one or not."""
    error = refused(save(tmp_path, make(), scheme))
    assert (error.key, error.values["input"]) == (key, taken)
    assert "save_pretrained" not in str(error)


def test_a_text_model_without_a_tokenizer_is_told_to_save_one(tmp_path: Path) -> None:
    error = refused(save(tmp_path, folders.bert(), None))
    assert error.key == "model_no_tokenizer"
    assert "tokenizer.save_pretrained" in str(error)


def test_a_model_that_wants_more_than_text_says_what(tmp_path: Path) -> None:
    """CLIP reads a text and a picture."""
    text, vision = {**SIZES, "max_position_embeddings": 64}, {**TINY, "image_size": 16, "patch_size": 8}
    model = seeded(hf.CLIPModel, hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
    error = refused(save(tmp_path, model))
    assert (error.key, error.values["input"]) == ("model_needs_more", "pixel_values")


@pytest.mark.parametrize("reason", [RuntimeError("shapes do not match"), ValueError("odd"), KeyError("x")])
def test_a_first_run_that_fails_tells_why_it_did(
    reason: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was found about pictures or sound, so nothing is said of them."""

    def fails(*_: Any, **__: Any) -> Any:
        raise reason

    monkeypatch.setattr(assemble, "capture_calls", fails)
    error = refused(save(tmp_path, folders.llama()))
    assert error.key == "model_cannot_run"
    assert str(reason) in str(error)
    assert "picture" not in str(error)


def misnamed(folder: Path, scheme: str, name: str) -> Path:
    """A folder whose tokenizer_config.json names a class that reads tokenizer.json wrongly."""
    save(folder, folders.llama(), scheme)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": name}))
    return folder


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        ("wordpiece", "LlamaTokenizer"),
        ("metaspace", "BertTokenizer"),
        ("metaspace", "GPT2Tokenizer"),
        ("byte_fallback", "RobertaTokenizer"),
        ("byte_level", "T5Tokenizer"),  # fails to load
        ("byte_level", "BertTokenizer"),  # fails on a text
    ],
)
def test_a_tokenizer_that_its_class_reads_wrongly_is_read_as_its_file_says(
    scheme: str, name: str, tmp_path: Path
) -> None:
    misnamed(tmp_path, scheme, name)
    with_class = None
    try:
        with_class = hf.AutoTokenizer.from_pretrained(tmp_path)(TEXTS[1], add_special_tokens=False)[
            "input_ids"
        ]
    except Exception:
        with_class = []
    plain = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert with_class != plain.encode(TEXTS[1], add_special_tokens=False).ids, "else this is no example"
    model = load_model(tmp_path)
    assert isinstance(model, PretrainedModel)
    for text in TEXTS:
        assert model.trace(text).inputs["input_ids"][0].tolist() == plain.encode(text).ids
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    named = {
        value
        for key, value in settings.items()
        if key in ("bos_token", "eos_token", "unk_token", "cls_token")
    }
    assert named <= set(model.tokenizer.all_special_tokens)


def test_a_class_that_agrees_with_its_file_is_kept(tmp_path: Path) -> None:
    model = load_model(misnamed(tmp_path, "wordpiece", "BertTokenizer"))
    assert isinstance(model, PretrainedModel)
    assert type(model.tokenizer).__name__ == "BertTokenizer"


class LoneAttention(nn.Module):
    """A model that is one attention and nothing around it."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        q, k = (part(x).unflatten(-1, (2, 4)).transpose(1, 2) for part in (self.query, self.key))
        return (q @ k.transpose(-1, -2)).softmax(-1) @ k


def test_a_module_without_a_path_is_called_by_its_class() -> None:
    (call,) = capture_calls(LoneAttention().eval(), x=torch.randn(1, 5, 8)).calls
    assert (call.name, call.title) == ("", "LoneAttention")
    with pytest.raises(InputError, match=r"^LoneAttention: the layer"):
        call.contribution(0)
