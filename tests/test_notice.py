"""What the project says of licences is what its catalogue of models says."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.pretrained.catalogue import READY_MODELS, ReadyModel

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("model", READY_MODELS.values(), ids=lambda model: model.name)
def test_every_ready_model_has_its_licence_in_the_notice(model: ReadyModel) -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert f"{model.title}\n    {model.source}; {model.licence}\n" in notice


def test_the_licence_is_named_where_the_project_is_introduced() -> None:
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")
    assert "[MIT](LICENSE)" in (ROOT / "README.md").read_text("utf-8")
