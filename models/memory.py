"""How much memory is free, so that a model that does not fit is refused instead of taking the machine down."""

from __future__ import annotations

from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")  # of a container: version 2 keeps its limit here


def free_memory(cgroup: Path = _CGROUP) -> int:
    """Bytes that can be taken without swapping: of the machine, or of the container if that has less."""
    free = int(psutil.virtual_memory().available)
    limit, used = _number(cgroup / "memory.max"), _number(cgroup / "memory.current")
    if limit is None or used is None:
        return free
    return max(0, min(free, limit - used + _file_cache(cgroup)))


def total_memory(cgroup: Path = _CGROUP) -> int:
    """Bytes that there are: of the machine, or of the container if that has less."""
    total = int(psutil.virtual_memory().total)
    limit = _number(cgroup / "memory.max")
    return total if limit is None else min(total, limit)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):  # no container, or "max"
        return None


def _file_cache(cgroup: Path) -> int:
    """Cached file pages count as used, but are given back when memory is needed."""
    try:
        lines = (cgroup / "memory.stat").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
