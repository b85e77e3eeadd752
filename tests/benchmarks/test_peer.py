"""The page that the stage is compared with, and the server whose memory is read."""

from __future__ import annotations

import json
import os

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.memory import PEER, resident, server_of
from scripts.live import ROOT


def title(app: AppTest) -> str:
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    return str(figure["layout"]["title"]["text"])


def test_every_button_changes_the_picture() -> None:
    app = AppTest.from_file(str(ROOT / PEER), default_timeout=60).run()
    seen = [title(app)]
    for key in ("setting", "cell", "step"):
        app.button(key=key).click().run()
        assert not app.exception
        seen.append(title(app))
    assert len(set(seen)) == 4


def test_a_server_of_someone_else_is_not_found() -> None:
    with pytest.raises(LookupError):
        server_of("http://127.0.0.1:1")


def test_memory_is_read_in_megabytes() -> None:
    assert 10 < resident(os.getpid()) < 10_000
