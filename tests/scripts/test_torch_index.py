"""scripts/torch_index.py: the CPU index is offered to pip only where it helps."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from scripts import torch_index


class Index(BaseHTTPRequestHandler):
    """An index that has torch at /whl/cpu and nothing elsewhere."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/whl/cpu/torch/" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Index) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def test_an_index_that_answers_is_offered(server: str) -> None:
    assert torch_index.options(f"{server}/whl/cpu", "Linux") == ["--extra-index-url", f"{server}/whl/cpu"]


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
def test_only_linux_needs_it(server: str, system: str) -> None:
    assert torch_index.options(f"{server}/whl/cpu", system) == []


@pytest.mark.parametrize("url", ["", "not an address", "http://127.0.0.1:1/whl/cpu"])
def test_no_index(url: str) -> None:
    assert torch_index.options(url, "Linux") == []


def test_an_index_without_torch(server: str) -> None:
    assert torch_index.options(f"{server}/elsewhere", "Linux") == []


def test_an_index_that_never_answers_costs_little() -> None:
    with socket.socket() as silent:  # accepts connections and says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        start = time.monotonic()
        assert not torch_index.reachable(f"http://127.0.0.1:{silent.getsockname()[1]}", patience=0.3)
        assert time.monotonic() - start < 2
