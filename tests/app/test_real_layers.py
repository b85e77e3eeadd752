"""Layers by the model's own numbers on every page: a Jamba has attention in layers 1 and 3 of 4."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers as hf
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES, locale
from models.pretrained.loading import unload_models
from tests.app.pages import healthy, open_page, texts
from tests.app.test_model_pages import written
from tests.models.pretrained import folders
from tests.models.pretrained.architectures import ARCHITECTURES

PAGES = ("overview", "head", "cell", "steps", "roles", "cause", "grow")
TEXT = "the quick brown fox and the quick dog"


@pytest.fixture(scope="module")
def jamba(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield str(folders.save(tmp_path_factory.mktemp("jamba"), folders.jamba()))
    unload_models()


def opened(path: str, folder: str, **query: str) -> AppTest:
    at = open_page(path, {"model": folder, "mtext": TEXT, **query})
    return at.button(key="am.open_own").click().run()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("layer", ["1", "3"])
def test_the_address_names_the_layer_as_the_model_does(path: str, layer: str, jamba: str) -> None:
    at = opened(path, jamba, layer=layer, mhead="2")
    assert healthy(at)
    assert at.query_params["layer"] in (layer, [layer])
    choices = [box for box in at.selectbox if str(box.key).startswith("am.model_layer")]
    assert all([option.split()[-1] for option in box.options] == ["1", "3"] for box in choices)
    assert choices or path in ("overview", "roles")
    if path in ("overview", "head", "roles"):
        assert f"Layer {layer} · Head 2" in written(at)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_a_layer_without_attention_is_said_and_the_nearest_shown(
    path: str, language: str, jamba: str
) -> None:
    at = opened(path, jamba, layer="2", lang=language)
    assert healthy(at)
    assert at.query_params["layer"] in ("1", ["1"])
    asked = {"en": "Layer 2 of this model has no softmax attention", "zh": "层 2 没有 softmax 注意力"}
    assert any(asked[language] in text for text in texts(at))


@pytest.mark.parametrize("path", ["overview", "roles"])
def test_layers_without_attention_are_named_with_what_they_have(path: str, jamba: str) -> None:
    text = written(opened(path, jamba, layer="1"))
    assert "No softmax attention in layers 0, 2: there is JambaMambaMixer instead" in text
    if path == "overview":
        assert "8 heads in 2 of 4 layers (numbers 1, 3;" in text
        assert "2 of 4: 1, 3" in text


def test_a_layer_that_another_model_had_is_no_wish(jamba: str) -> None:
    at = opened("head", jamba, layer="18")
    assert at.query_params["layer"] in ("3", ["3"])
    assert not any("nearest" in text for text in texts(at))


def test_layers_that_share_one_module_are_named(tmp_path: Path) -> None:
    config = hf.AlbertConfig(**{**folders.SIZES, "num_hidden_layers": 3}, embedding_size=16)
    folders.save(tmp_path, folders.seeded(hf.AlbertModel, config), "wordpiece")
    assert "Layers 0–2 share one attention module" in written(opened("overview", str(tmp_path), layer="1"))


def test_switching_off_names_and_changes_the_right_layer(jamba: str) -> None:
    at = opened("cause", jamba, layer="3", mhead="1", x_scan="1", x_off="1.2,2.0,3.3")
    assert healthy(at)
    (chosen,) = at.multiselect
    assert list(chosen.options) == [f"L{layer}H{head}" for layer in (1, 3) for head in range(4)]
    assert len(chosen.value) == 2, "layer 2 has no head that could be off"


def funnel(folder: Path) -> str:
    config = hf.FunnelConfig(
        vocab_size=400, d_model=32, n_head=4, d_head=8, d_inner=40, block_sizes=[1, 1], num_decoder_layers=1
    )
    return str(folders.save(folder, folders.seeded(hf.FunnelModel, config), "wordpiece"))


@pytest.mark.parametrize("path", ["overview", "head", "cell", "steps", "roles"])
def test_rows_that_are_no_tokens_are_said_to_be_none(path: str, tmp_path: Path) -> None:
    folder = funnel(tmp_path)
    for layer, pooled in (("0", False), ("1", True)):
        at = opened(path, folder, stream="encoder", layer=layer)
        assert healthy(at)
        assert any("not the tokens of the text" in text for text in texts(at)) == pooled
        if path == "overview":
            assert ("columns that are not the tokens" in written(at)) == pooled
            assert ("heads in 2 layers read 30 tokens" in written(at)) != pooled


@pytest.mark.parametrize("language", LANGUAGES)
def test_streams_of_prophetnet(language: str, tmp_path: Path) -> None:
    """Its cross-attention has a row per token and stream: 3 streams of 6 tokens are not 18 tokens."""
    sizes = {**ARCHITECTURES["ProphetNet"].sizes, "vocab_size": 400}
    model = folders.seeded(hf.ProphetNetForConditionalGeneration, hf.ProphetNetConfig(**sizes))
    folders.save(tmp_path, model, "wordpiece")
    query = {"stream": "decoder", "kind": "cross", "mtarget": "the quick fox", "lang": language}
    at = opened("overview", str(tmp_path), **query)
    assert healthy(at)
    said = {"en": "several streams", "zh": "多路输入"}[language]
    assert any(said in text for text in texts(at))
    assert any("ProphetNetNgramSelfAttention" in text for text in texts(at))
    assert {"en": "that are not the tokens of the text", "zh": "行和列不是文本的词元"}[language] in written(
        at
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_window_is_refused_with_the_reason(language: str, tmp_path: Path) -> None:
    config = hf.LongformerConfig(**folders.SIZES, attention_window=4)
    folders.save(tmp_path, folders.seeded(hf.LongformerModel, config), "wordpiece")
    at = opened("overview", str(tmp_path), lang=language)
    assert healthy(at)
    expected = locale(language)["errors"]["attention_in_parts"].split("{modules}")[1][:30]
    assert any(expected in text for text in texts(at))


def stage_of(at: AppTest) -> dict[str, Any]:
    """What the stage on the page is told: sizes, labels, steps."""
    found = next(
        one.proto for one in at.get("bidi_component") if one.proto.component_name.endswith("am_stage")
    )
    meta: dict[str, Any] = json.loads(found.mixed.json)["meta"]
    return meta


@pytest.mark.parametrize("language", LANGUAGES)
def test_step_inside_shows_a_part_of_a_long_text(language: str, tmp_path: Path) -> None:
    """Around the query and the key that are chosen, which can be chosen there."""
    folder = str(folders.save(tmp_path, folders.llama(max_position_embeddings=400)))
    steps = locale(language)["steps"]
    at = opened("steps", folder, lang=language, mtext="the fox " * 400, mi="390", mj="3")
    assert healthy(at)
    shown = stage_of(at)
    assert shown["window"]["queries"] == shown["window"]["keys"]
    assert {3, 390} <= set(shown["window"]["keys"])
    assert len(shown["tokens"]) == len(shown["keys"]) == 32
    assert (shown["window"]["N"], shown["window"]["M"]) == (400, 400)
    assert shown["window"]["queries"][shown["start"]["i"]] == 390
    assert shown["window"]["keys"][shown["start"]["j"]] == 3
    assert any(steps["part"].rsplit("}")[-1] in text for text in texts(at))
    keys = next(box for box in at.selectbox if box.label == steps["key"])
    keys.select_index(200).run()
    assert healthy(at)
    again = stage_of(at)
    assert {200, 390} <= set(again["window"]["keys"])
    assert again["start"]["opening"] > shown["start"]["opening"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_step_inside_shows_caps(language: str, tmp_path: Path) -> None:
    config = hf.Gemma2Config(**folders.SIZES, **folders.SPECIAL, head_dim=8, num_key_value_heads=2)
    folder = folders.save(tmp_path, folders.seeded(hf.Gemma2ForCausalLM, config))
    at = opened("steps", str(folder), lang=language, layer="0")
    assert healthy(at)
    assert "softcapped" in stage_of(at)["steps"]
    assert locale(language)["steps"]["why"] not in texts(at)
