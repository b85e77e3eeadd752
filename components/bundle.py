"""Joins plain ES modules into the one script text that a v2 component is registered with.

The files stay ordinary modules (`import { el } from "../lib/dom.js"`), so an editor, a browser and a test can read
them as they are; nothing is built. At registration the modules that an entry file needs are put in front of it, each
once, with their import lines and export keywords taken off (they then share one scope: names must be unique).
"""

from __future__ import annotations

import re
from pathlib import Path

FRONTEND = Path(__file__).parent / "frontend"

_IMPORT = re.compile(r'^import\s+(?:\{[^}]*\}\s+from\s+)?"(?P<path>\.[^"]+)";\s*$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|class|function|async function)\b)", re.MULTILINE)


def script(entry: str) -> str:
    """The script text of `entry` (a path below `frontend/`) and of every module it imports, dependencies first.

    Raises FileNotFoundError for a module that does not exist and ValueError for an import in a circle.
    """
    parts: dict[Path, str] = {}
    _collect((FRONTEND / entry).resolve(), parts, ())
    return "\n".join(parts.values())


def style(*names: str) -> str:
    """The shared style sheet followed by the named ones (paths below `frontend/`)."""
    return "\n".join((FRONTEND / name).read_text("utf-8") for name in ("lib/base.css", *names))


def _collect(path: Path, parts: dict[Path, str], above: tuple[Path, ...]) -> None:
    if path in parts:
        return
    if path in above:
        raise ValueError(f"import in a circle: {' → '.join(p.name for p in (*above, path))}")
    text = path.read_text("utf-8")
    for match in _IMPORT.finditer(text):
        _collect((path.parent / match["path"]).resolve(), parts, (*above, path))
    body = _IMPORT.sub("", text)
    # only the entry keeps its exports: a component needs its default export, the rest is now in one scope
    parts[path] = _EXPORT.sub("", body) if above else body
