"""Opening a model on the pages: nothing happens without a click, and whatever is wrong is said in a sentence."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.languages import locale
from models.pretrained import loading
from tests.app.pages import REAL_PATHS, choice, go_to, healthy, open_page, texts
from tests.models.pretrained import folders

SENTENCE = "the quick fox jumps over the quick fox"


def opened(model: Path | str, path: str = "overview", **query: str) -> AppTest:
    """A page of this model, after the click that allows it."""
    at = open_page(path, {"model": str(model), "mtext": SENTENCE, **query})
    assert "am_head_grid" not in components(at)
    return at.button(key="am.open_own").click().run()


def components(at: AppTest) -> set[str]:
    return {element.proto.component_name for element in at.get("bidi_component")}


def said(at: AppTest) -> str:
    return "\n".join(str(text.value) for text in at.text)


def advice(key: str, language: str = "en") -> str:
    """The end of an error's sentence, which says what to do and has no places."""
    return str(locale(language)["errors"][key].split("}")[-1])


@pytest.mark.parametrize("path", REAL_PATHS)
@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc", "nobody/nothing", "~", "$x$ <b>", "https://x.y/z"]
)
def test_an_address_alone_opens_nothing(name: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "load_model", lambda *_: pytest.fail("loaded without a click"))
    monkeypatch.setattr(
        "app.trained.opening.load_model", lambda *_, **__: pytest.fail("loaded without a click")
    )
    at = open_page(path, {"model": name})
    assert healthy(at)
    assert name in said(at)
    assert components(at) <= {"am_address"}


def test_a_ready_model_that_is_not_here_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path))
    at = open_page("overview", {"model": "smollm2"})
    assert healthy(at)
    assert at.button(key="am.fetch").label == "Fetch it (93 MB)"
    assert "Apache-2.0" in " ".join(texts(at))
    assert list(tmp_path.iterdir()) == []


def empty(folder: Path) -> None:
    pass


def without_config(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"")


def broken_config(folder: Path) -> None:
    folders.save(folder, folders.llama())
    (folder / "config.json").write_text('{"model_type": "llama", ')


def cut_short(folder: Path) -> None:
    folders.save(folder, folders.llama())
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])


def pickle_only(folder: Path) -> None:
    folders.save(folder, folders.llama())
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def own_code(folder: Path) -> None:
    folders.save(folder, folders.llama())
    folder.joinpath("config.json").write_text(
        json.dumps({"model_type": "mine", "auto_map": {"AutoModel": "m.M"}})
    )
    (folder / "m.py").write_text("raise SystemExit('ran')")


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (empty, "model_folder_empty"),
    "no config": (without_config, "model_config_missing"),
    "broken config": (broken_config, "model_config_broken"),
    "cut short": (cut_short, "model_weights_broken"),
    "pickle": (pickle_only, "model_weights_pickle"),
    "own code": (own_code, "model_needs_own_code"),
    "no tokenizer": (lambda folder: folders.save(folder, folders.llama(), None), "model_no_tokenizer"),
    "no attention": (lambda folder: folders.save(folder, folders.mamba()), "no_attention"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_folder_gets_a_sentence(what: str, language: str, tmp_path: Path) -> None:
    make, key = BROKEN[what]
    make(tmp_path)
    at = opened(tmp_path, lang=language)
    assert healthy(at)
    assert advice(key, language) in said(at)
    assert "am_head_grid" not in components(at)


def test_a_file_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert advice("model_not_folder") in said(opened(tmp_path / "file"))
    assert advice("model_folder_missing") in said(opened(tmp_path / "nothing"))


@pytest.mark.parametrize("path", REAL_PATHS)
def test_a_small_model_of_ones_own(path: str, tmp_path: Path) -> None:
    at = opened(folders.save(tmp_path / "own", folders.llama()), path)
    assert healthy(at)
    assert components(at) & {"am_head_grid", "am_matrix", "am_cell"}


def test_encoder_and_decoder_with_different_numbers_of_layers(tmp_path: Path) -> None:
    at = opened(folders.save(tmp_path, folders.marian()))
    stacks = choice(at, "am.model_stack")
    assert len(stacks.options) == 3
    for stack in (("decoder", "self"), ("decoder", "cross"), ("encoder", "self")):
        at = choice(at, "am.model_stack").set_value(stack).run()
        for path in REAL_PATHS:
            at = go_to(at, path)
            assert healthy(at)


def test_a_folder_that_changed_is_looked_at_anew(tmp_path: Path) -> None:
    at = opened(folders.save(tmp_path, folders.llama()))
    before = facts(at)
    folders.save(tmp_path, folders.llama(num_hidden_layers=3))
    at = at.run()
    assert healthy(at)
    assert facts(at) != before


@pytest.mark.parametrize("path", ["overview", "head", "cell", "steps", "roles", "cause", "translate"])
def test_a_model_that_is_let_go_is_freed_though_a_page_shows_it(path: str, tmp_path: Path) -> None:
    """Neither a cache nor what the session keeps of the page holds its weights."""
    loading.unload_models()
    at = opened(folders.save(tmp_path, folders.llama()), path)
    assert healthy(at)
    (kept,) = loading.shelf._kept.values()
    seen = [weakref.ref(weights) for weights in kept.model.module.parameters()]
    assert seen
    del kept
    loading.unload_models()
    gc.collect()
    assert [weights for weights in seen if weights() is not None] == []


def facts(at: AppTest) -> str:
    return next(block.proto.body for block in at.get("html") if "am-facts" in block.proto.body)
