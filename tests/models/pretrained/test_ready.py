"""The ready models, for real: their weights are fetched once and kept. Facts that only the right weights show."""

from __future__ import annotations

import pytest
import torch

from models.pretrained import ModelTrace, PretrainedModel, load_model
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.model import probabilities

ANIMAL = "The animal didn't cross the street because it was too tired."
RED_CAR = "I bought a red car in Lisbon last year."
LONG = (
    "The little dog ran over the bridge and looked back at the children who were still playing in the garden."
)


@pytest.fixture(scope="module")
def minilm() -> PretrainedModel:
    return load_model("minilm")


@pytest.fixture(scope="module")
def smollm2() -> PretrainedModel:
    return load_model("smollm2")


@pytest.fixture(scope="module")
def translation() -> ModelTrace:
    return load_model("en-pt").trace(RED_CAR)


def previous_token(weights: torch.Tensor) -> float:
    """Mean weight on the token before."""
    return float(weights.diagonal(-1).mean())


def test_what_they_are(minilm: PretrainedModel, smollm2: PretrainedModel) -> None:
    info = minilm.info
    assert (info.layers, info.heads, info.d_model) == ({("encoder", "self"): 6}, 12, 384)
    assert (info.positions, info.max_positions, info.licence) == ("learned", 512, "Apache-2.0")
    info = smollm2.info
    assert (info.layers, info.heads, info.kv_heads) == ({("decoder", "self"): 30}, 9, 3)
    assert (info.d_model, info.head_dim, info.positions) == (576, 64, "rotary")
    assert (info.dtype, info.computed_in, info.max_positions) == ("float16", "float32", 8192)
    assert 134e6 < info.parameters < 135e6
    info = load_model("en-pt").info
    assert info.layers == {("encoder", "self"): 6, ("decoder", "cross"): 2}
    assert (info.heads, info.d_model, info.positions, info.licence) == (8, 256, "sinusoidal", "MPL-2.0")


@pytest.mark.parametrize("name", READY_MODELS)
def test_the_promised_size(name: str) -> None:
    size = sum(file.stat().st_size for file in READY_MODELS[name].path.rglob("*") if file.is_file())
    assert 0.9 < size / READY_MODELS[name].disk_bytes <= 1


def test_minilm_looks_at_the_token_before(minilm: PretrainedModel) -> None:
    assert previous_token(minilm.trace(LONG).layer(0).weights(2)[1:, 1:]) > 0.99


def test_minilm_knows_what_it_is(minilm: PretrainedModel) -> None:
    trace = minilm.trace(ANIMAL)
    labels = trace.tokens["encoder"].labels
    assert labels[:4] == ("[CLS]", "The", "animal", "didn")
    weight = trace.layer(3).weights(1)[labels.index("it"), labels.index("animal")]
    assert float(weight) == pytest.approx(0.68, abs=0.01)


def test_smollm2_knows_the_capital(smollm2: PretrainedModel) -> None:
    chances = probabilities(smollm2.trace("The capital of France is"))
    assert smollm2.tokenizer.decode(int(chances.argmax())) == " Paris"
    assert float(chances.max()) == pytest.approx(0.77, abs=0.01)


@pytest.fixture(scope="module")
def repeated(smollm2: PretrainedModel) -> ModelTrace:
    """50 random words of the vocabulary, twice: nothing but the repetition can be predicted."""
    vocabulary = smollm2.tokenizer.get_vocab()
    words = sorted(
        piece[1:] for piece in vocabulary if len(piece) > 4 and piece[0] == "Ġ" and piece[1:].isascii()
    )
    words = [word for word in words if word.isalpha()]
    chosen = torch.randperm(len(words), generator=torch.Generator().manual_seed(1))[:50]
    trace = smollm2.trace("".join(f" {words[int(index)]}" for index in [*chosen, *chosen]))
    assert len(trace.tokens["decoder"]) == 100
    return trace


def test_smollm2_looks_at_the_token_before(repeated: ModelTrace) -> None:
    assert previous_token(repeated.layer(16).weights(0)) == pytest.approx(0.90, abs=0.03)


def test_smollm2_has_an_induction_head(repeated: ModelTrace) -> None:
    """The second time a word comes, the head looks at the word that followed it the first time."""
    weights = repeated.layer(18).weights(6)
    assert float(weights.diagonal(1 - 50)[1:].mean()) == pytest.approx(0.90, abs=0.03)


def test_the_translation(translation: ModelTrace) -> None:
    words = [word.label for word in translation.tokens["decoder"].groups]
    assert words == [
        "<s>",
        *["Eu", "comprei", "um", "carro", "vermelho", "em", "Lisboa", "no", "ano", "passado", "."],
    ]


def test_the_translators_heads_align_words(translation: ModelTrace) -> None:
    assert translation.following is not None
    weights = translation.layer(1, kind="cross").weights(0)
    source = translation.tokens["encoder"].labels
    aligned = dict(zip(translation.following, (source[int(key)] for key in weights.argmax(-1)), strict=True))
    expected = {"Eu": "I", "um": "a", "carro": "car", "vermelho": "red", "Lisboa": "Lisbon", "ano": "year"}
    assert {word: aligned[f"␣{word}"] for word in expected} == {a: f"␣{b}" for a, b in expected.items()}
    assert aligned["␣compre"] == "␣bought"


def test_all_attention_was_seen(
    minilm: PretrainedModel, smollm2: PretrainedModel, translation: ModelTrace
) -> None:
    for trace in (minilm.trace("Hello"), smollm2.trace("Hello"), translation):
        assert trace.tier == 1
        assert not trace.unseen
    step = smollm2.trace("Hello world").layer(3).trace(8)
    assert {"query_rotated", "key_rotated"} <= set(step.names)
