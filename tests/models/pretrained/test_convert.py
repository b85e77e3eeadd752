"""Conversions, on small files of the real formats written here with random weights."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from tokenizers import Tokenizer, decoders
from tokenizers import models as vocabularies
from tokenizers import pre_tokenizers as cutters
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from models.pretrained import convert_gguf, convert_marian
from models.pretrained.en_pt import FirefoxTranslator, positions
from models.pretrained.marian_file import read_marian

PIECES = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "ab", "1", "2", "Ġ", "12"]


def llama() -> LlamaForCausalLM:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(PIECES),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        rope_parameters={"rope_type": "default", "rope_theta": 5000.0},
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=2,
    )
    return LlamaForCausalLM(config).eval()


def permuted(weight: Tensor, heads: int) -> Tensor:
    """As llama.cpp's converter reorders W_Q and W_K, row by row: row K/2 + i of a head follows row i."""
    width = len(weight) // heads
    rows = [
        head * width + part * width // 2 + i
        for head in range(heads)
        for i in range(width // 2)
        for part in (0, 1)
    ]
    return weight[rows]


def write_gguf(path: Path, model: LlamaForCausalLM, tokenizer: str = "smollm") -> None:
    config, writer = model.config, GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(5000.0)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(tokenizer)
    writer.add_token_list(PIECES)
    writer.add_token_types([3, 3, 3, *[1] * (len(PIECES) - 3)])
    writer.add_token_merges(["a b", "1 2"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template("{{ messages }}")
    names = {new: old for old, new in convert_gguf._LAYER_NAMES.items()}
    others = {new: old for old, new in convert_gguf._OTHER_NAMES.items()}
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight":
            continue
        if name in others:
            writer.add_tensor(others[name], weight.numpy())
            continue
        layer, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
        heads = {
            "self_attn.q_proj": config.num_attention_heads,
            "self_attn.k_proj": config.num_key_value_heads,
        }
        data = permuted(weight, heads[part]) if part in heads else weight
        kind = GGMLQuantizationType.Q4_1 if data.ndim == 2 else GGMLQuantizationType.F32
        writer.add_tensor(f"blk.{layer}.{names[part]}.weight", quantize(data.numpy(), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, target = tmp_path_factory.mktemp("gguf"), tmp_path_factory.mktemp("llama")
    write_gguf(source / "model.gguf", llama())
    convert_gguf.convert(source, target)
    return target


def test_gguf_weights_are_those_of_the_model(converted: Path) -> None:
    original = llama()
    model = LlamaForCausalLM.from_pretrained(converted, dtype="auto")
    assert model.dtype == torch.float16
    assert model.config.rope_parameters["rope_theta"] == 5000.0
    for name, weight in original.state_dict().items():
        step = (weight.max() - weight.min()) / 15  # Q4_1 has 16 levels per block
        assert torch.allclose(model.state_dict()[name].float(), weight, atol=float(step) / 1.9), name


def test_gguf_model_computes_the_same(converted: Path) -> None:
    """Rotation goes wrong without the reordering: then nothing but the first token would be right."""
    ids = torch.tensor([[3, 5, 6, 4, 8, 3, 7]])
    model = LlamaForCausalLM.from_pretrained(converted, dtype=torch.float32).eval()
    reference = llama()
    reference.load_state_dict(model.state_dict())
    q = "model.layers.0.self_attn.q_proj.weight"
    assert torch.equal(
        convert_gguf.unpermute(permuted(llama().state_dict()[q], 4), 4), llama().state_dict()[q]
    )
    with torch.inference_mode():
        assert torch.allclose(model(ids).logits, reference(ids).logits, atol=1e-5)
        difference = (model(ids).logits - llama()(ids).logits).abs().max()
    assert difference < 0.1


def test_gguf_tokenizer(converted: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(converted)
    assert tokenizer.tokenize("ab 12<|im_end|>") == ["ab", "Ġ", "1", "2", "<|im_end|>"]  # digits one by one
    assert (tokenizer.bos_token, tokenizer.eos_token, tokenizer.unk_token) == (
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
    )
    assert tokenizer.model_max_length == 128


def test_gguf_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_gguf(tmp_path / "model.gguf", llama(), tokenizer="gpt-2")
    with pytest.raises(ValueError, match="SmolLM's tokenizer"):
        convert_gguf.convert(tmp_path, tmp_path)


# Marian


WIDTH, VOCABULARY, FFN = 16, ["</s>", "<unk>", "▁a", "▁b", "▁c", "d"], 24


def marian_weights() -> dict[str, Tensor]:
    torch.manual_seed(2)

    def norm(name: str) -> dict[str, Tensor]:
        return {f"{name}_ln_scale": torch.rand(1, WIDTH) + 0.5, f"{name}_ln_bias": torch.randn(1, WIDTH)}

    def layer(name: str, part: str) -> dict[str, Tensor]:
        found = {f"{name}_{part}_W{x}": torch.randn(WIDTH, WIDTH) / 4 for x in "qkvo"}
        found |= {f"{name}_{part}_b{x}": torch.randn(1, WIDTH) / 4 for x in "qkvo"}
        found |= {f"{name}_ffn_W1": torch.randn(WIDTH, FFN) / 4, f"{name}_ffn_b1": torch.randn(1, FFN)}
        found |= {f"{name}_ffn_W2": torch.randn(FFN, WIDTH) / 4, f"{name}_ffn_b2": torch.randn(1, WIDTH)}
        return found | norm(f"{name}_{part}_Wo") | norm(f"{name}_ffn_ffn")

    weights = {
        "Wemb": torch.randn(len(VOCABULARY), WIDTH) / 4,
        "decoder_ff_logit_out_b": torch.randn(1, len(VOCABULARY)),
        "Wemb_QuantMultA": torch.ones(1, 1),
    }
    for number in (1, 2):
        weights |= layer(f"encoder_l{number}", "self")
    weights |= layer("decoder_l1", "context")
    weights |= {"decoder_l1_rnn_W": torch.randn(WIDTH, WIDTH), "decoder_l1_rnn_Wf": torch.randn(WIDTH, WIDTH)}
    weights |= {"decoder_l1_rnn_bf": torch.randn(1, WIDTH)} | norm("decoder_l1_rnn_ffn")
    return weights


def marian_bytes(weights: dict[str, Tensor], version: int = 1, kind: int | None = None) -> bytes:
    """Matrices of layers as intgemm's int8, as in Firefox's files; the rest as float32."""
    headers, names, shapes, data = b"", b"", b"", b""
    for name, weight in {**weights, "special:model.yml": torch.zeros(4)}.items():
        array = weight.numpy().astype("<f4")
        if "_W" in name and "ln" not in name and not name.endswith("QuantMultA"):
            scale = 127 / np.abs(array).max()
            content = np.round(array.T * scale).astype(np.int8).tobytes() + struct.pack("<f", scale)
            used = 0x4101
        else:
            content, used = array.tobytes(), 0x0404
        content += b"\0" * (-len(content) % 256)
        headers += struct.pack("<QQQQ", len(name) + 1, kind or used, weight.ndim, len(content))
        names += name.encode() + b"\0"
        shapes += struct.pack(f"<{weight.ndim}i", *weight.shape)
        data += content
    count = len(weights) + 1
    return struct.pack("<QQ", version, count) + headers + names + shapes + struct.pack("<Q", 0) + data


@pytest.fixture(scope="module")
def translator_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, target = tmp_path_factory.mktemp("marian"), tmp_path_factory.mktemp("firefox")
    (source / "model.enpt.bin").write_bytes(marian_bytes(marian_weights()))
    tokenizer = Tokenizer(
        vocabularies.Unigram([(piece, -float(i)) for i, piece in enumerate(VOCABULARY)], unk_id=1)
    )
    tokenizer.pre_tokenizer, tokenizer.decoder = cutters.Metaspace(), decoders.Metaspace()
    tokenizer.save(str(source / "tokenizer.json"))
    convert_marian.convert(source, target)
    return target


@pytest.fixture(scope="module")
def translator(translator_folder: Path) -> FirefoxTranslator:
    model, found = AutoModelForSeq2SeqLM.from_pretrained(translator_folder, output_loading_info=True)
    assert isinstance(model, FirefoxTranslator)
    assert not found["missing_keys"]
    assert not found["unexpected_keys"]
    return model.eval()


def naive(weights: dict[str, Tensor], source: list[int], target: list[int], heads: int) -> Tensor:
    """Logits of the last target position, token by token and head by head, from Marian's own weights."""

    def norm(x: Tensor, name: str) -> Tensor:
        x = (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + 1e-6)
        return x * weights[f"{name}_ln_scale"][0] + weights[f"{name}_ln_bias"][0]

    def linear(x: Tensor, name: str, letter: str) -> Tensor:
        return x @ weights[f"{name}_W{letter}"] + weights[f"{name}_b{letter}"][0]

    def attend(x: Tensor, memory: list[Tensor], name: str) -> Tensor:
        query, size, mixed = linear(x, name, "q"), WIDTH // heads, torch.zeros(WIDTH)
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = [float(query[part] @ linear(key, name, "k")[part]) / math.sqrt(size) for key in memory]
            shares = [math.exp(score) for score in scores]
            for share, key in zip(shares, memory, strict=True):
                mixed[part] += share / sum(shares) * linear(key, name, "v")[part]
        return norm(x + linear(mixed, name, "o"), f"{name}_Wo")

    def feed(x: Tensor, name: str) -> Tensor:
        return norm(x + linear(linear(x, name, "1").relu(), name, "2"), f"{name}_ffn")

    def place(position: int) -> Tensor:
        rates = [1 / 10_000 ** (i / (WIDTH / 2 - 1)) for i in range(WIDTH // 2)]
        angles = [position * rate for rate in rates]
        return torch.tensor([*map(math.sin, angles), *map(math.cos, angles)])

    memory = [weights["Wemb"][number] * math.sqrt(WIDTH) + place(i) for i, number in enumerate(source)]
    for number in (1, 2):
        memory = [
            feed(attend(x, memory, f"encoder_l{number}_self"), f"encoder_l{number}_ffn") for x in memory
        ]
    cell, x = torch.zeros(WIDTH), torch.zeros(WIDTH)
    for i, before in enumerate([None, *target]):
        x = place(i) + (0 if before is None else weights["Wemb"][before] * math.sqrt(WIDTH))
        forget = torch.sigmoid(linear(x, "decoder_l1_rnn", "f"))
        cell = forget * cell + (1 - forget) * (x @ weights["decoder_l1_rnn_W"])
        x = norm(x + cell.relu(), "decoder_l1_rnn_ffn")
        x = feed(attend(x, memory, "decoder_l1_context"), "decoder_l1_ffn")
    return x @ weights["Wemb"].T + weights["decoder_ff_logit_out_b"][0]


def test_translator_agrees_with_a_naive_loop(translator: FirefoxTranslator, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(marian_bytes(marian_weights()))
    weights = read_marian(tmp_path / "model.bin")  # with the rounding of 8 bits
    source, target = [2, 4, 3, 0], [3, 5, 2]
    start = translator.config.decoder_start_token_id
    with torch.inference_mode():
        logits = translator(torch.tensor([source]), decoder_input_ids=torch.tensor([[start, *target]])).logits
    assert logits.shape == (1, 4, len(VOCABULARY))
    for length in range(4):
        expected = naive(weights, source, target[:length], heads=8)
        assert torch.allclose(logits[0, length], expected, rtol=1e-4, atol=1e-4), length


def test_translating_token_by_token_equals_all_at_once(translator: FirefoxTranslator) -> None:
    ids = torch.tensor([[2, 4, 3, 0]])
    written = translator.translate(ids, limit=7)
    assert 0 < len(written) <= 7
    start = translator.config.decoder_start_token_id
    with torch.inference_mode():
        logits = translator(ids, decoder_input_ids=torch.tensor([[start, *written]])).logits
    assert logits[0, : len(written)].argmax(-1).tolist() == written


def test_padding_of_the_source_changes_nothing(translator: FirefoxTranslator) -> None:
    start = torch.tensor([[translator.config.decoder_start_token_id, 3]])
    padded, mask = torch.tensor([[2, 4, 0, 5, 5]]), torch.tensor([[1, 1, 1, 0, 0]])
    with torch.inference_mode():
        alone = translator(torch.tensor([[2, 4, 0]]), decoder_input_ids=start).logits
        beside = translator(padded, attention_mask=mask, decoder_input_ids=start).logits
    assert torch.allclose(alone, beside, atol=1e-5)


def test_backends_agree_and_eager_shows_its_weights(translator: FirefoxTranslator) -> None:
    inputs = {"input_ids": torch.tensor([[2, 4, 3, 0]]), "decoder_input_ids": torch.tensor([[6, 3]])}
    with torch.inference_mode():
        fast = translator(**inputs)
        translator.set_attn_implementation("eager")
        try:
            slow = translator(**inputs, output_attentions=True)
        finally:
            translator.set_attn_implementation("sdpa")
    assert torch.allclose(fast.logits, slow.logits, atol=1e-5)
    assert [tuple(weights.shape) for weights in slow.encoder_attentions] == [(1, 8, 4, 4)] * 2
    assert [tuple(weights.shape) for weights in slow.cross_attentions] == [(1, 8, 2, 4)]
    assert torch.allclose(slow.cross_attentions[0].sum(-1), torch.ones(1, 8, 2))


def test_marians_tokenizer_gains_its_special_tokens(translator_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(translator_folder)
    assert tokenizer("a cd").input_ids == [2, 4, 5, 0]
    assert tokenizer.convert_tokens_to_ids("<s>") == len(VOCABULARY)
    assert json.loads((translator_folder / "config.json").read_text())["decoder_start_token_id"] == len(
        VOCABULARY
    )


def test_positions_are_marians() -> None:
    table = positions(3, 2, 8)
    assert table.shape == (2, 8)
    assert table[0, 0] == pytest.approx(math.sin(3))
    assert table[1, 4 + 3] == pytest.approx(math.cos(4 / 10_000))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (marian_bytes(marian_weights(), version=7), "version 7"),
        (marian_bytes(marian_weights(), kind=0x0208), "numbers of type 0x208"),
        (marian_bytes(marian_weights())[:1000], "ends too early"),
        (marian_bytes(marian_weights())[:-2000], "ends too early"),
    ],
)
def test_marian_files_that_cannot_be_read(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_marian(tmp_path / "model.bin")
