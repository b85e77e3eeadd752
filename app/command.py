"""The command `attention-microscope` of the installed package: starts the app, fetches the ready models."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

SERVER = Path(__file__).with_name("server.py")
HERE = ("localhost", "::1")  # and 127.…: names under which only this machine reaches the server


def version() -> str:
    """The version that is installed; in the project's own folder the one that it says."""
    try:
        return installed_version("attention-microscope")
    except PackageNotFoundError:
        project = tomllib.loads((SERVER.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
        return str(project["version"])


def main(arguments: Sequence[str] | None = None) -> int:
    """What the command line asks for; returns the exit status."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.what == "run":
        return _run(asked.address, asked.port)
    if asked.what == "models":
        from models.pretrained.__main__ import main as fetch_all

        return fetch_all()
    parser.print_help()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "attention-microscope", description="See every number of attention, in a web app on your own machine."
    )
    parser.add_argument("--version", action="version", version=version())
    commands = parser.add_subparsers(dest="what", title="commands")
    run = commands.add_parser("run", help="start the app", description="Start the app; Ctrl-C stops it.")
    run.add_argument("--port", type=int, default=8501, help="where it listens (default: %(default)s)")
    run.add_argument(
        "--address", default="127.0.0.1", help="0.0.0.0: reachable from other machines (default: %(default)s)"
    )
    commands.add_parser("models", help="fetch the ready models ahead (ATTENTION_HOME says where to)")
    return parser


def _run(address: str, port: int) -> int:
    from streamlit.web.cli import main as streamlit

    options = ["--server.address", address, "--server.port", str(port)]
    if address not in HERE and not address.startswith("127."):
        options += [
            "--server.allowedHosts",
            "*",
        ]  # other machines reach it under names that are not known here
    print(f"Attention Microscope listens on {address}, port {port} (Ctrl-C stops it)", flush=True)
    streamlit(["run", str(SERVER), *options], prog_name="streamlit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
