"""What a ready model's folder has to hold, written into it when it is made: a damaged copy is then never computed with.

Sizes are compared whenever somebody asks whether the model is here; hashes once per process (0.3 s for 269 MB), and
again when a file has changed. Nothing here is proof against somebody who means harm: such a person could change the
manifest as well.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
LEAST = ("config.json", "model.safetensors", "tokenizer.json")  # of a folder made before there were manifests

Stamp = tuple[tuple[str, int, int], ...]

_LOG = logging.getLogger(__name__)
_whole: dict[Path, Stamp] = {}  # whose hashes were right, as they were then
_damaged: dict[Path, Stamp] = {}


def write(folder: Path) -> None:
    """Writes names, sizes and hashes of all files in `folder` into it, by one rename."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    content = {path.relative_to(folder).as_posix(): [path.stat().st_size, _digest(path)] for path in files}
    scratch = folder / f".{MANIFEST}.{os.getpid()}"
    scratch.write_text(json.dumps({"files": content}, indent=1), "utf-8")
    scratch.chmod(0o644)
    scratch.replace(folder / MANIFEST)


def looks_whole(folder: Path) -> bool:
    """Whether every file is there and as long as it should be, and none was found damaged."""
    try:
        if not folder.is_dir() or (_damaged and _damaged.get(folder) == _stamp(folder)):
            return False
        files = _read(folder)
        if files is None:
            return all((folder / name).stat().st_size > 0 for name in LEAST)
        return all((folder / name).stat().st_size == size for name, (size, _) in files.items())
    except (OSError, ValueError):
        return False


def is_whole(folder: Path, weights: str = "") -> bool:
    """Whether every file has its hash. A folder from before there were manifests has that of its weights compared with
    `weights`, and gets a manifest."""
    if not looks_whole(folder):
        return False
    stamp = _stamp(folder)
    if _whole.get(folder) == stamp:
        return True
    if not _hashes_agree(folder, weights):
        _LOG.warning("%s is damaged", folder)
        _damaged[folder] = stamp
        return False
    _whole[folder] = _stamp(folder)
    return True


def _hashes_agree(folder: Path, weights: str) -> bool:
    try:
        files = _read(folder)
        if files is not None:
            return all(_digest(folder / name) == digest for name, (_, digest) in files.items())
        if weights and _digest(folder / "model.safetensors") != weights:
            return False
    except (OSError, ValueError):
        return False
    try:
        write(folder)
    except OSError:  # a cache that may only be read
        _LOG.info("%s gets no manifest", folder, exc_info=True)
    return True


def _read(folder: Path) -> dict[str, tuple[int, str]] | None:
    """Size and hash by name; None without a manifest. ValueError for one that is damaged itself."""
    file = folder / MANIFEST
    if not file.exists():
        return None
    try:
        files: dict[str, Any] = json.loads(file.read_text("utf-8"))["files"]
        return {str(name): (int(size), str(digest)) for name, (size, digest) in files.items()}
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{file} is no manifest") from error


def _stamp(folder: Path) -> Stamp:
    """Changes when a file does."""
    facts = ((path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file())
    return tuple((str(path), fact.st_size, fact.st_mtime_ns) for path, fact in facts)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
