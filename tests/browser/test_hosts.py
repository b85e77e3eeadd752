"""A start on this machine is reached under this machine's names alone (DNS rebinding)."""

from __future__ import annotations

import base64
import socket
from urllib.parse import urlsplit

import pytest


def answer(url: str, host: str) -> str:
    """The first line of the answer to a WebSocket that was opened under this host name."""
    parts = urlsplit(url)
    key = base64.b64encode(bytes(16)).decode()
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        f"Origin: http://{host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    )
    with socket.create_connection((str(parts.hostname), int(parts.port or 80)), timeout=60) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return connection.recv(200).decode().splitlines()[0]


@pytest.mark.parametrize(
    ("name", "status"),
    [("127.0.0.1", "101"), ("localhost", "101"), ("[::1]", "101"), ("evil.example", "403")],
)
def test_host_names(app_url: str, name: str, status: str) -> None:
    assert answer(app_url, f"{name}:{urlsplit(app_url).port}").split()[1] == status
