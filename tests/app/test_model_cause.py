"""The page that changes a head, without a browser: examples that are true, other models, whatever is typed."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app.languages import LANGUAGES
from app.model_view import EXAMPLES as OPENING
from app.model_view import ModelView
from app.trained.cause import scan as cause_scan
from app.trained.cause.answer import chance
from app.trained.cause.examples import EXAMPLES, Example
from app.trained.cause.numbers import signed, turned
from app.url import State, encode
from models.interventions.change import Intervention
from models.interventions.compare import compare
from models.interventions.scan import effects
from models.interventions.subject import Subject
from models.pretrained import load_model
from tests.app.pages import choice, choose, go_to, healthy, open_page
from tests.models.pretrained import folders

PARIS = EXAMPLES["paris"].view


@pytest.fixture(scope="module", autouse=True)
def _fetched() -> None:
    for name in ("minilm", "smollm2", "en-pt"):
        load_model(name)


def written(at: AppTest) -> str:
    """The page's own words without tags, and its notices."""
    bodies = " ".join(block.proto.body for block in at.get("html") if "<style" not in block.proto.body)
    words = html.unescape(re.sub(r"<[^>]+>", " ", bodies)) + "\n".join(str(text.value) for text in at.text)
    return re.sub(r"\s+", " ", words)


def answer(at: AppTest) -> str:
    bodies = [block.proto.body for block in at.get("html")]
    found = next(body for body in bodies if "am-answer" in body)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", found)))


def components(at: AppTest) -> set[str]:
    drawn = {element.proto.component_name for element in at.get("bidi_component")}
    return drawn - {"am_address", "am_token_strip"}


def at_view(view: ModelView, **more: str) -> dict[str, str]:
    return {**encode(State(model=view)), **more}


def looked_at(view: ModelView, folder: Path) -> dict[str, str]:
    return at_view(replace(view, model=str(folder), text="the cat sat on the mat"))


# ---- the examples are true -----------------------------------------------------------------------------------------


def effect(example: Example, what: str) -> tuple[float, Any]:
    """The attention of the example's edge, and its outputs compared; straight from the model, without the page."""
    view = example.view
    model = load_model(view.model)
    trace = model.trace(view.text)
    subject = Subject.of(model.module, trace)
    call = trace.layer(view.layer, view.stream or None, view.kind)
    change = Intervention(call.stream, call.kind, call.layer, view.head, what, view.i, view.j)  # type: ignore[arg-type]
    before, after = subject.run([(), [change]], subject.positions - 1 if not view.stream else view.i)
    return float(call.weights(view.head)[view.i, view.j]), compare(
        before, after, watched=max(0, example.token)
    )


def test_one_edge_makes_paris() -> None:
    weight, found = effect(EXAMPLES["paris"], "edge")
    assert weight > 0.85
    assert found.top_before.before > 0.7
    assert found.top_before.after < 0.25
    assert found.top_after.token != found.top_before.token


def test_one_edge_holds_the_tiger_back() -> None:
    weight, found = effect(EXAMPLES["against"], "edge")
    tiger = next(c for c in found.candidates if c.token == EXAMPLES["against"].token)
    assert weight > 0.75
    assert tiger.before < 0.15 < 0.3 < tiger.after
    assert found.top_after.token == tiger.token != found.top_before.token


def test_a_head_that_looks_elsewhere_is_needed() -> None:
    _, edge = effect(EXAMPLES["helper"], "edge")
    _, off = effect(EXAMPLES["helper"], "off")
    assert abs(edge.top_before.bits) < 0.1
    assert off.top_before.bits < -1
    assert off.top_after.token != off.top_before.token


def test_much_attention_and_no_effect() -> None:
    weight, found = effect(EXAMPLES["nothing"], "edge")
    assert weight > 0.9
    assert abs(found.top_before.bits) < 0.01
    assert found.divergence < 0.01


def test_heads_that_stand_in_for_each_other() -> None:
    """One of the four copying heads is enough: alone none is missed, and all together the answer is gone."""
    view = EXAMPLES["spare"].view
    model = load_model(view.model)
    trace = model.trace(view.text)
    subject = Subject.of(model.module, trace)
    off = [Intervention("decoder", "self", 1, head) for head in range(4)]
    outputs = subject.run([(), *([one] for one in off), off[1:], off], view.i)
    right = int(outputs[0].argmax())
    changes = effects(outputs, right)
    assert all(abs(change) < 0.1 for change in changes[:4])
    assert changes[4] > -1
    assert changes[5] < -3
    assert int(outputs[-1].argmax()) != right


# ---- the page ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_has_chosen_nothing_sees_the_first_example(language: str) -> None:
    at = open_page("cause", {"lang": language})
    assert healthy(at)
    assert "{" not in written(at)
    assert choice(at, "am.model_ready").value == "smollm2"
    text = answer(at)
    assert "Paris" in text
    assert "0.77" in text
    assert components(at) == {"am_matrix"}


def test_the_first_model_can_be_chosen_here_and_is_kept() -> None:
    at = open_page("cause")
    at = choice(at, "am.model_ready").select("minilm").run()
    assert healthy(at)
    assert choice(at, "am.model_ready").value == "minilm"
    assert "its output vectors are compared" in written(at)
    again = open_page("cause", {name: str(value) for name, value in at.query_params.items()})
    assert choice(again, "am.model_ready").value == "minilm"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_with_a_click(name: str, language: str) -> None:
    at = open_page("cause", {"lang": language}).button(key=f"am.cause_{name}").click().run()
    assert healthy(at)
    assert choice(at, "am.model_ready").value == EXAMPLES[name].view.model
    assert "{" not in written(at)
    expected = {
        "paris": ("agree", "一致"),
        "against": ("tiger", "tiger"),
        "helper": ("this edge does not", "不是通过这条连接"),
        "nothing": ("attention is no cause", "注意力不是原因"),
        "spare": ("switch the head off too", "再关掉这个头"),
    }[name]
    assert expected[language == "zh"] in written(at)


def test_all_three_changes() -> None:
    at = open_page("cause", at_view(PARIS))
    sentences = {answer(at)}
    for what, title in (("uniform", "spread evenly"), ("off", "switched off")):
        at = choose(at, "am.x_what", what)
        assert healthy(at)
        assert title in answer(at)
        sentences.add(answer(at))
        assert at.query_params["x_what"] in (what, [what])
    assert len(sentences) == 3


def test_other_heads_can_be_off_as_well() -> None:
    """Two heads that copy stand in for each other: together they are missed."""
    ship = replace(OPENING["smollm2"], layer=18, head=6, i=13, j=6)
    alone = open_page("cause", at_view(ship))
    assert "dawn stays: 0.55 before, 0.53 after" in answer(alone)
    at = open_page("cause", at_view(ship, x_off="20.6,24.7,99.0"))
    assert healthy(at)
    assert "Off as well: L20H6, L24H7." in answer(at)
    assert "only the other heads off: 2" in written(at)
    assert re.search(r"dawn falls from 0\.55 to 0\.[01]", answer(at))
    at = at.multiselect[0].set_value(["20.6"]).run()
    assert healthy(at)
    assert "Off as well: L20H6. Without" in answer(at)
    assert at.query_params["x_off"] in ("20.6", ["20.6"])
    at = at.multiselect[0].set_value([]).run()
    assert "Off as well" not in answer(at)
    assert "x_off" not in at.query_params


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.5, "0.50"),
        (0.0021, "0.0021"),
        (0.9978, "0.9978"),
        (1.0, "≈ 1"),
        (0.0, "≈ 0"),
        (0.99999, "≈ 1"),
        (0.005, "0.01"),
    ],
)
def test_probabilities_are_written_so_that_they_say_something(probability: float, text: str) -> None:
    assert chance(probability) == text


def test_position_and_token_are_chosen_and_in_the_address() -> None:
    at = open_page("cause", at_view(PARIS))
    at = choice(at, "am.x_at").set_value(1).run()
    assert healthy(at)
    assert "x_at" in at.query_params
    assert "stays" in answer(at)  # what comes after "capital" does not depend on a later token
    at = choice(at, "am.x_at").set_value(-1).run()
    london = next(o for o in choice(at, "am.x_token").options if "London" in o)
    at = choice(at, "am.x_token").select(london).run()
    assert healthy(at)
    assert "London rises from 0.01 to 0.09" in answer(at)
    assert "x_token" in at.query_params


def test_choices_that_belong_to_another_model_or_text_are_dropped() -> None:
    at = open_page("cause", at_view(PARIS, x_at="4", x_token="21957", x_off="20.6"))
    assert "Off as well: L20H6." in answer(at)
    at = choice(at, "am.model_ready").select("en-pt").run()
    assert healthy(at)
    assert not {"x_at", "x_token", "x_off"} & set(at.query_params)
    at = at.button(key="am.cause_against").click().run()
    assert "x_token" in at.query_params  # an example's own choices are kept
    at = choice(at, "am.x_at").set_value(6).run()
    at = at.text_area(key="am.model_text").set_value("Short text").run()
    assert healthy(at)
    assert "x_at" not in at.query_params


def test_the_scan_names_the_head_that_matters() -> None:
    at = open_page("cause", at_view(PARIS)).button(key="am.cause_scan").click().run()
    assert healthy(at)
    text = written(at)
    assert "It matters most in layer 23, head 4" in text
    assert re.search(r"8 of 270 heads look from is at France .* in 7 of these", text)
    assert [c.proto.component_name for c in at.get("bidi_component")].count("am_matrix") == 2
    assert at.get("plotly_chart")


def test_a_scan_that_takes_long_stops_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cause_scan, "SECONDS", 0.0)
    monkeypatch.setattr("models.interventions.scan.TOKENS", 200)
    view = replace(PARIS, text="The capital of Spain is")
    at = open_page("cause", at_view(view, x_scan="1"))
    assert healthy(at)
    first = int(re.search(r"(\d+) of 270 heads are measured", written(at))[1])  # type: ignore[index]
    at = at.button(key="am.cause_more").click().run()
    second = int(re.search(r"(\d+) of 270 heads are measured", written(at))[1])  # type: ignore[index]
    assert 0 < first < second < 270


def test_a_link_starts_no_long_scan() -> None:
    view = replace(PARIS, text="The ship left the harbour at dawn. " * 12)
    at = open_page("cause", at_view(view, x_scan="1"))
    assert healthy(at)
    assert at.button(key="am.cause_scan")
    assert not at.get("plotly_chart")


@pytest.mark.parametrize("name", ["minilm", "en-pt"])
def test_scan_of_the_other_ready_models(name: str) -> None:
    at = open_page("cause", at_view(OPENING[name], x_scan="1", x_stay="1"))
    assert healthy(at)
    assert at.get("plotly_chart")
    assert "It matters most in layer" in written(at)


def test_minilm_compares_vectors() -> None:
    at = open_page("cause", {"x_stay": "1"})
    assert "the output vector of it turns by 0.0047" in answer(at)
    assert components(at) == {"am_matrix", "am_token_bars"}


@pytest.mark.parametrize("name", ["repeat", "words-en", "words-zh"])
def test_models_that_were_trained_here(name: str) -> None:
    for what in ("off", "edge"):
        at = open_page("cause", at_view(OPENING[name], x_what=what, x_scan="1"))
        assert healthy(at)
        assert answer(at)
        assert at.get("plotly_chart")


@pytest.mark.parametrize("stream", ["encoder", "decoder"])
def test_both_stacks_of_the_translator(stream: str) -> None:
    view = replace(OPENING["en-pt"], stream=stream, kind="self" if stream == "encoder" else "cross", head=2)
    for what in ("off", "uniform", "edge"):
        assert healthy(open_page("cause", at_view(view, x_what=what)))


# ---- other models --------------------------------------------------------------------------------------------------

SMALL = {
    "llama": folders.llama,
    "t5": folders.t5,
    "marian": folders.marian,
    "bert": folders.bert,
    "roberta": folders.roberta,
}


@pytest.mark.parametrize("name", SMALL)
def test_models_of_a_folder(name: str, tmp_path: Path) -> None:
    folders.save(tmp_path, SMALL[name]())
    at = open_page("cause", looked_at(ModelView(layer=0, head=1, i=2, j=1), tmp_path))
    at = at.button(key="am.open_own").click().run()
    assert healthy(at)
    assert "am_matrix" in components(at)
    assert answer(at)


def test_attention_that_is_the_models_own_gets_a_sentence(tmp_path: Path) -> None:
    folders.save(tmp_path, folders.bloom())
    at = open_page("cause", looked_at(ModelView(layer=0, head=0, i=1, j=0), tmp_path))
    at = at.button(key="am.open_own").click().run()
    assert healthy(at)
    assert "can be watched and not changed" in written(at)
    assert "am_matrix" in components(at)
    assert not offered(at)


def offered(at: AppTest) -> list[str]:
    """The page's own controls of the change, and examples that are offered beside the model's own."""
    groups = [group.key for group in at.get("button_group") if str(group.key).startswith("am.x_")]
    lists = [
        select.key
        for select in (*at.selectbox, *at.multiselect)
        if str(select.key).startswith(("am.x_", "am.cause"))
    ]
    scan = [button.key for button in at.button if button.key == "am.cause_scan"]
    return [str(key) for key in (*groups, *lists, *scan)]


def test_where_nothing_can_be_changed_nothing_is_offered(tmp_path: Path) -> None:
    """No number to compare: said at once as well. And a model that can be changed has it all."""
    model = folders.llama()
    with torch.no_grad():
        model.lm_head.weight.fill_(torch.inf)
    folders.save(tmp_path, model)
    at = open_page("cause", looked_at(ModelView(layer=0, head=0, i=1, j=0), tmp_path))
    assert not offered(at.button(key="am.open_own").click().run())
    assert len(offered(open_page("cause", at_view(PARIS)))) >= 4


@pytest.mark.parametrize("model", ["smollm2", "en-pt", "minilm"])
def test_examples_are_those_of_the_open_model(model: str) -> None:
    at = open_page("cause", at_view(ModelView(model=model), x_stay="1"))
    labels = {
        button.key: button.label
        for button in at.button
        if str(button.key).removeprefix("am.cause_") in EXAMPLES
    }
    own = {f"am.cause_{name}" for name, example in EXAMPLES.items() if example.view.model == model}
    assert {key for key, label in labels.items() if "·" not in label} == own


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (0.0, "0"),
        (1e-6, "≈ 0"),
        (-1e-6, "≈ 0"),
        (0.0031, "+0.0031"),
        (-0.0004, "−4.0 × 10⁻⁴"),
        (0.31, "+0.31"),
        (-2.4, "−2.40"),
    ],
)
def test_a_small_effect_is_no_zero(bits: float, text: str) -> None:
    assert signed(bits) == text
    assert turned(0.0) == "0"
    assert turned(1e-13) == "≈ 0"
    assert turned(2.1e-6) == "2.1 × 10⁻⁶"


def test_a_model_that_gives_no_numbers_gets_a_sentence(tmp_path: Path) -> None:
    model = folders.llama()
    with torch.no_grad():
        model.lm_head.weight.fill_(torch.nan)
    folders.save(tmp_path, model)
    at = open_page("cause", looked_at(ModelView(layer=0, head=0, i=1, j=0), tmp_path))
    at = at.button(key="am.open_own").click().run()
    assert healthy(at)
    assert "not a number" in written(at)


# ---- whatever is typed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "</script><script>alert(1)</script> $x$ :red[x] **b** `c` &amp; a<b<c",
        "你好，世界！👨‍👩‍👧 💩\n\n\ttab",
        "<s> </s> <|im_start|>",
        "      ",
    ],
)
def test_unusual_texts(text: str) -> None:
    for what in ("edge", "off", "uniform"):
        at = open_page("cause", at_view(replace(PARIS, text=text), x_what=what))
        assert healthy(at)
        bodies = " ".join(block.proto.body for block in at.get("html")).lower()
        assert "<script" not in bodies
        assert "</script" not in bodies


def test_an_empty_text_gets_a_sentence() -> None:
    at = open_page("cause", at_view(PARIS))
    at = at.text_area(key="am.model_text").set_value("").run()
    assert healthy(at)
    assert "There is no word" in written(at)
    at = at.text_area(key="am.model_text").set_value("two words").run()
    assert healthy(at)
    assert answer(at)


def test_a_key_in_the_future_changes_nothing_and_is_said() -> None:
    at = open_page("cause", at_view(replace(PARIS, i=1, j=3)))
    assert "may not look at France anyway" in answer(at)
    assert "0.77" in written(at)


@pytest.mark.parametrize(
    "query",
    [
        {"layer": "999", "mhead": "999", "mi": "9999", "mj": "9999"},
        {"x_at": "9999", "x_token": "9999999"},
        {"x_at": "-5", "x_token": "x", "x_what": "mean", "x_scan": "2"},
        {"x_token": "3"},
        {"x_off": "1.1,1.1,999.999"},
        {"x_off": "23.4", "x_what": "off"},
        {"x_off": "a;drop"},
        {"words": "1", "special": "0"},
        {"stream": "encoder", "kind": "cross"},
    ],
)
def test_unusual_addresses(query: dict[str, str]) -> None:
    at = open_page("cause", {**at_view(PARIS), **query})
    assert healthy(at)
    assert answer(at)


def test_a_text_that_fills_the_model() -> None:
    at = open_page("cause", at_view(ModelView(text="word " * 700, layer=2, i=3, j=2)))
    assert healthy(at)
    assert "were cut off" in written(at)
    assert answer(at)


def test_the_other_pages_open_at_the_same_head() -> None:
    at = go_to(open_page("cause", at_view(PARIS)), "head")
    assert healthy(at)
    assert "Layer 23 · Head 4" in written(at)


def test_all_places_of_the_examples_exist() -> None:
    for example in EXAMPLES.values():
        trace = load_model(example.view.model).trace(example.view.text)
        call = trace.layer(example.view.layer, example.view.stream or None, example.view.kind)
        assert example.view.head < call.heads
        assert example.view.i < call.queries
        assert example.view.j < call.keys
