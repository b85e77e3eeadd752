"""The page of growing text, without a browser: both languages, all kinds of models, whatever is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import transformers as hf
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES
from app.model_view import EXAMPLES, ModelView
from app.trained.grow import ids as grow_ids
from app.url import State, clean, encode
from models.pretrained import load_model
from models.pretrained.loading import unload_models
from models.pretrained.own import OWN_MODELS
from tests.app.pages import choice, choose, go_to, healthy, open_page
from tests.app.test_model_pages import written
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save, seeded
from tests.models.pretrained.test_labels import HOSTILE

DRAWN = {"am_token_text", "am_token_choice", "am_matrix"}
HOSTILE_IDS = [str(number) for number in range(len(HOSTILE))]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder of a small decoder with 64 places for tokens."""
    yield str(save(tmp_path_factory.mktemp("llama"), folders.llama()))
    unload_models()


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save(tmp_path_factory.mktemp("marian"), folders.marian(), "metaspace"))


def grow(query: dict[str, str]) -> AppTest:
    """The page of the model in `query`; a folder has to be approved first."""
    at = open_page("grow", query)
    if [button for button in at.button if button.key == "am.open_own"]:
        at = at.button(key="am.open_own").click().run()
    return at


def press(at: AppTest, name: str) -> AppTest:
    return at.button(key=f"am.grow_{name}").click().run()


def parts(at: AppTest) -> set[str]:
    return {element.proto.component_name for element in at.get("bidi_component")} & DRAWN


def ids(at: AppTest) -> tuple[int, ...]:
    """What the address says was written."""
    return grow_ids.decode(dict(at.query_params).get("w_ids", ""))


def looked_at(at: AppTest) -> ModelView:
    state: State = at.session_state["am.store"]["state"]
    return state.model


def example(name: str, **changes: str) -> dict[str, str]:
    return {**encode(State(model=EXAMPLES[name])), **changes}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["smollm2", "en-pt", *OWN_MODELS])
def test_the_ready_models_write(name: str, language: str) -> None:
    load_model(name)
    at = press(grow(example(name, lang=language)), "next")
    assert healthy(at)
    assert parts(at) == DRAWN
    assert len(ids(at)) == 1
    assert "{" not in written(at)
    at = press(at, "many")
    assert healthy(at)
    assert len(ids(at)) == 11 or name.startswith("words")
    assert looked_at(at).kind == ("self" if name in ("smollm2", "repeat") else "cross")


def test_smollm2_says_dawn_again() -> None:
    load_model("smollm2")
    at = press(press(press(grow(example("smollm2")), "next"), "next"), "back")
    assert load_model("smollm2").tokenizer.decode(ids(at)) == " dawn"
    assert "15 rows of attention per head" in written(at)
    assert "would have taken 29 rows, 1.9 times" in written(at)
    assert looked_at(at).i == 11  # the cell of the other pages is left alone


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_only_reads(language: str) -> None:
    load_model("minilm")
    load_model("smollm2")
    at = grow({"lang": language, "w_stay": "1"})
    assert healthy(at)
    assert "MiniLM" in written(at)
    assert re.search(r"21\s%", written(at))
    assert [element.proto.component_name for element in at.get("bidi_component")].count("am_matrix") == 2
    at = at.button(key="am.grow_open_smollm2").click().run()
    assert healthy(at)
    assert parts(at) == DRAWN
    assert choice(at, "am.model_ready").value == "smollm2"


def test_a_decoder_without_an_output_layer(tmp_path: Path) -> None:
    headless = seeded(
        hf.GPT2Model, hf.GPT2Config(vocab_size=400, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    )
    at = grow({"model": str(save(tmp_path, headless)), "mtext": "the fox"})
    assert healthy(at)
    assert "no output layer" in written(at)
    assert not parts(at)


def test_to_and_fro(tiny: str) -> None:
    at = grow({"model": tiny, "mtext": "the fox"})
    assert at.button(key="am.grow_back").disabled
    assert at.button(key="am.grow_over").disabled
    three = press(press(press(at, "next"), "next"), "next")
    first = ids(three)
    assert len(first) == 3
    two = press(three, "back")
    assert ids(two) == first[:2]
    again = press(two, "next")
    assert ids(again) == first
    over = press(again, "over")
    assert ids(over) == ()
    assert "w_ids" not in over.query_params
    assert over.button(key="am.grow_back").disabled


def test_a_copied_link_reopens_the_text(tiny: str) -> None:
    at = press(grow({"model": tiny, "mtext": "the fox", "w_mode": "sampled", "w_seed": "5"}), "many")
    at = at.number_input(key="am.w_temp").set_value(1.5).run()
    link = {name: str(value) for name, value in at.query_params.items()}
    assert link | {"w_mode": "sampled", "w_seed": "5", "w_temp": "1.5"} == link
    unload_models()
    again = grow(link)
    assert ids(again) == ids(at) != ()
    assert dict(again.query_params) == dict(at.query_params)
    assert healthy(again)


def test_a_link_that_has_lost_its_prompt(tiny: str) -> None:
    at = press(grow({"model": tiny, "mtext": "the fox"}), "many")
    link = {name: str(value) for name, value in at.query_params.items()}
    assert ids(grow({**link, "mtext": "the fox"})) == ids(at)
    again = grow({**link, "mtext": "another prompt"})
    assert healthy(again)
    assert ids(again) == ()
    assert "they were left out" in written(again)


def test_a_seed_writes_the_same_again(tiny: str) -> None:
    query = {"model": tiny, "mtext": "the fox", "w_mode": "sampled", "w_temp": "2"}
    texts = {ids(press(grow({**query, "w_seed": seed}), "many")) for seed in ("1", "2", "3")}
    assert len(texts) == 3
    again = press(grow({**query, "w_seed": "2"}), "next")
    again = press(press(again, "over"), "many")
    assert ids(again) in texts


def test_greedy_and_sampled(tiny: str) -> None:
    at = grow({"model": tiny, "mtext": "the fox"})
    assert not [widget for widget in at.number_input if widget.key in ("am.w_temp", "am.w_seed")]
    at = choose(at, "am.w_mode", "sampled")
    assert healthy(at)
    assert at.number_input(key="am.w_temp").value == 1.0
    assert at.number_input(key="am.w_temp").min == 0.05
    assert at.query_params["w_mode"] == "sampled"


def test_another_prompt_begins_anew(tiny: str) -> None:
    at = press(grow({"model": tiny, "mtext": "the fox"}), "many")
    at = at.text_area(key="am.model_text").set_value("the dog").run()
    assert ids(at) == ()
    assert healthy(at)
    assert ids(press(at, "next"))


def test_a_text_that_is_full(tiny: str) -> None:
    at = grow({"model": tiny, "mtext": "a" * 60})
    at = press(at, "many")
    assert healthy(at)
    assert len(ids(at)) == 4
    assert "All 64 places" in written(at)
    assert at.button(key="am.grow_next").disabled
    assert "am_token_choice" not in parts(at)
    assert not press(at, "back").button(key="am.grow_next").disabled


@pytest.mark.parametrize(("text", "says"), [("a" * 64, "64 tokens; at most 63"), ("", "no word")])
def test_prompts_that_cannot_be_used(tiny: str, text: str, says: str) -> None:
    at = grow({"model": tiny, "mtext": "x"})
    at = at.text_area(key="am.model_text").set_value(text).run()
    assert healthy(at)
    assert says in written(at)
    assert not parts(at)
    at = at.text_area(key="am.model_text").set_value("the fox").run()
    assert parts(at) == DRAWN


def test_the_end_of_a_text(tiny: str) -> None:
    at = grow({"model": tiny, "mtext": "the fox", "w_ids": grow_ids.encode((7, 8, 2))})
    assert healthy(at)
    assert "has ended its text" in written(at)
    assert at.button(key="am.grow_next").disabled
    at = press(at, "back")
    assert ids(at) == (7, 8)
    assert "am_token_choice" in parts(at)


@pytest.mark.parametrize("address", [grow_ids.encode((7, 399, 400)), "3AB", grow_ids.encode([7] * 80)])
def test_tokens_that_do_not_fit_are_left_out_and_said(tiny: str, address: str) -> None:
    at = grow({"model": tiny, "mtext": "the fox", "w_ids": address})
    assert healthy(at)
    assert ids(at) == ()
    assert "they were left out" in written(at)
    assert "they were left out" not in written(press(at, "next"))


@pytest.mark.parametrize("bad", [{"w_temp": "0"}, {"w_temp": "nan"}, {"w_seed": "-1"}, {"w_ids": "<b>"}])
def test_what_an_address_cannot_ask_for(tiny: str, bad: dict[str, str]) -> None:
    at = grow({"model": tiny, "mtext": "the fox", **bad})
    assert healthy(at)
    assert parts(at) == DRAWN
    assert not set(bad) & set(at.query_params)


@pytest.mark.parametrize("text", HOSTILE, ids=HOSTILE_IDS)
def test_hostile_text(tiny: str, text: str) -> None:
    at = grow({"model": tiny, "mtext": "x"})
    at = press(at.text_area(key="am.model_text").set_value(clean(text)).run(), "many")
    assert healthy(at)
    assert parts(at) == DRAWN
    bodies = " ".join(block.proto.body for block in at.get("html") if "<style" not in block.proto.body)
    assert "<script" not in bodies
    assert "<b>a" not in bodies


def test_other_translators(translator: str) -> None:
    at = press(grow({"model": translator, "mtext": "the fox"}), "many")
    assert healthy(at)
    assert "cache cannot be used" in written(at) or "has ended" in written(at)
    stacks = choice(at, "am.model_stack")
    assert len(stacks.options) == 2  # decoder self and cross: they grow, the encoder's does not
    for stack in (("decoder", "self"), ("decoder", "cross")):
        at = choose(at, "am.model_stack", stack)
        assert healthy(at)
        assert (looked_at(at).stream, looked_at(at).kind) == stack


def test_the_whole_text_on_another_page(tiny: str) -> None:
    at = press(grow({"model": tiny, "mtext": "the fox"}), "many")
    at = at.button(key="am.grow_open_head").click().run()
    assert healthy(at)
    assert len(at.text_area(key="am.model_text").value) > len("the fox")


def test_the_whole_translation_on_another_page() -> None:
    load_model("en-pt")
    at = press(press(grow(example("en-pt")), "many"), "many")
    at = at.button(key="am.grow_open_head").click().run()
    assert healthy(at)
    assert at.text_area(key="am.model_text").value == EXAMPLES["en-pt"].text
    assert at.text_area(key="am.model_target").value.startswith("Eu comprei um carro vermelho em Lisboa")


def test_whoever_has_chosen_nothing_sees_a_model_that_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dict(grow({}).query_params)["model"] == "smollm2"
    monkeypatch.setenv("ATTENTION_HOME", "/nowhere")
    at = grow({})
    assert healthy(at)
    assert dict(at.query_params)["model"] == "repeat"  # comes with the app


def test_an_encoder_by_name_that_is_a_decoder_writes(tmp_path: Path) -> None:
    """BERT with `is_decoder`: what it does counts, not what its modules are called."""
    sizes = {"max_position_embeddings": 64, "is_decoder": True, "bos_token_id": 2, "eos_token_id": 3}
    folder = save(tmp_path, folders.bert(hf.BertLMHeadModel, **sizes), "wordpiece")
    at = grow({"model": str(folder), "mtext": "the quick"})
    assert parts(at) == DRAWN
    before = ids(at)
    assert len(ids(press(at, "next"))) == len(before) + 1


def test_the_cell_of_other_pages_stays_where_it_was() -> None:
    """Growing text looks at its newest row, or at a row and column of its own."""
    at = open_page("head", {"model": "repeat", "mi": "3", "mj": "2"})
    go_to(at, "grow")
    at.button(key="am.grow_next").click().run()
    assert (looked_at(at).i, looked_at(at).j) == (3, 2)
    go_to(at, "head")
    assert (at.query_params["mi"], at.query_params["mj"]) == ("3", "2")
