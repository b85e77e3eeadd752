"""A ready model whose files are damaged is said to be so, and can be fetched again from the same page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.languages import locale
from models.pretrained import download, manifest
from models.pretrained.catalogue import READY_MODELS, ReadyModel
from tests.app.pages import healthy, open_page, texts
from tests.models.pretrained import folders
from tests.models.pretrained.folders import save
from tests.models.pretrained.test_manifest import cut_short, flipped_weight, missing


def said(at: AppTest, language: str) -> bool:
    sentence = locale(language)["errors"]["model_damaged"].split("{model}")[1]
    return any(sentence in text for text in texts(at))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("damage", [missing, cut_short, flipped_weight])
def test_it_is_said_and_a_click_makes_it_good(
    damage: Callable[[Path], None], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path))
    folder = save(READY_MODELS["minilm"].path, folders.bert(), "wordpiece")
    manifest.write(folder)
    damage(folder)
    query = {"model": "minilm", "mtext": "the quick fox", "layer": "0", "lang": language}
    for _ in range(2):  # whoever looks again is not told something else
        at = open_page("overview", query)
        assert healthy(at)
        assert said(at, language)
        assert str(tmp_path) not in " ".join(texts(at)), "where it lies is nobody's business"

    def prepare(_: ReadyModel, work: Path, __: object) -> Path:
        made = save(work / "made", folders.bert(), "wordpiece")
        manifest.write(made)
        return made

    monkeypatch.setattr(download, "_prepare", prepare)
    monkeypatch.setattr(ReadyModel, "space_needed", 0)
    at.button(key="am.fetch").click().run()
    assert healthy(at)
    assert not said(at, language)
    assert "am_head_grid" in {element.proto.component_name for element in at.get("bidi_component")}
