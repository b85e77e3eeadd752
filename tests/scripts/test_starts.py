"""How the app is started for this machine, for others, and in a container."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from scripts.live import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize(
    ("address", "any_host"),
    [("127.0.0.1", False), ("127.0.0.2", False), ("localhost", False), ("::1", False), ("0.0.0.0", True)],
)
def test_make_run_opens_a_server_for_others_to_any_host_name(address: str, any_host: bool) -> None:
    command = ["make", "-n", "-o", ".venv/.run", "run", f"ADDRESS={address}"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"--server.address {address}" in shown
    assert ("--server.allowedHosts '*'" in shown) is any_host


def test_the_container_answers_to_any_name_and_opens_no_folders_by_itself() -> None:
    image, compose = ((ROOT / name).read_text("utf-8") for name in ("Dockerfile", "compose.yaml"))
    assert "STREAMLIT_SERVER_ALLOWED_HOSTS=*" in image
    assert "STREAMLIT_SERVER_ADDRESS=0.0.0.0" in image
    assert "ATTENTION_OWN_MODELS: ${ATTENTION_OWN_MODELS:-off}" in compose
