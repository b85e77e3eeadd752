"""Who can reach the server, and what the pages then say about models of one's own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from app import reachable
from app.languages import locale
from models.pretrained.access import VARIABLE
from models.training import checkpoint
from tests.app.pages import healthy, open_page, texts
from tests.models.pretrained import folders


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    reachable.reachable.cache_clear()
    yield
    reachable.reachable.cache_clear()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("", False),
        (None, False),
        ("unix:///run/app.sock", False),
        ("example.com", False),
    ],
)
def test_loopback(address: str | None, expected: bool) -> None:
    assert reachable.is_loopback(address) is expected


def test_a_socket_that_listens_to_all_counts_whatever_the_setting_says() -> None:
    assert not reachable.reachable()
    reachable.reachable.cache_clear()
    with socket.create_server(("127.0.0.1", 0)):
        assert not reachable.reachable()
    reachable.reachable.cache_clear()
    with socket.create_server(("0.0.0.0", 0)):
        assert reachable.reachable()


def test_the_settings_of_the_start_on_this_machine() -> None:
    assert set(st.get_option("server.allowedHosts")) == {"localhost", "127.0.0.1", "::1"}
    assert st.get_option("server.maxUploadSize") * 2**20 == checkpoint.LARGEST


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return folders.save(tmp_path / "open" / "own", folders.llama())


def said(key: str, language: str) -> str:
    """What stands before and after the name."""
    return str(locale(language)["errors"][key].split("{name}")[1].split("{ready}")[0])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", ["overview", "head", "cell"])
def test_where_others_reach_it_nothing_is_opened_and_the_page_says_why(
    language: str, path: str, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reachable, "reachable", lambda: True)
    for name in (str(model), str(model / "nothing"), "/etc/shadow", "openai-community/gpt2"):
        at = open_page(path, {"model": name, "lang": language})
        shown = " ".join(texts(at))
        assert healthy(at)
        assert said("model_own_off", language) in shown
        assert "ATTENTION_OWN_MODELS" in shown
        assert locale(language)["trained"]["own_off"] in shown
        assert not [button for button in at.button if button.key == "am.open_own"]
        assert at.text_input(key="am.model").disabled


@pytest.mark.parametrize("language", ["en", "zh"])
def test_with_a_list_of_folders(language: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(model.parent))
    monkeypatch.setattr(reachable, "reachable", lambda: True)
    at = open_page("overview", {"model": str(model), "mtext": "the fox", "lang": language})
    at.button(key="am.open_own").click().run()
    assert healthy(at)
    assert "am_head_grid" in {element.proto.component_name for element in at.get("bidi_component")}
    for name in (model.parents[1], model.parents[1] / "nothing", "a/b"):
        at = open_page("overview", {"model": str(name), "lang": language})
        assert said("model_own_elsewhere", language) in " ".join(texts(at))
        assert not [button for button in at.button if button.key == "am.open_own"]


def test_a_folder_that_is_closed_later_is_not_opened_by_an_earlier_click(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_page("overview", {"model": str(model), "mtext": "the fox"})
    at.button(key="am.open_own").click().run()
    monkeypatch.setenv(VARIABLE, "off")
    at.run()
    assert said("model_own_off", "en") in " ".join(texts(at))
