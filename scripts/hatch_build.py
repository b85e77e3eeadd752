"""Builds the wheel: the folders app/, components/ and models/ become parts of one package, attention_microscope.

Three top-level packages of these names would collide with everybody's. So a copy of the folders is laid below the
package, and its imports follow: `from models.trace import Trace` becomes
`from attention_microscope.models.trace import Trace`. Nothing else is rewritten: names of modules in strings are made
from `__package__` in the sources themselves.
"""

from __future__ import annotations

import ast
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "attention_microscope"
FOLDERS = ("app", "components", "models")
INIT = '''"""See every number of attention: an engine (`models`), what draws it (`components`), the web app (`app`)."""

from importlib.metadata import version

__version__ = version("attention-microscope")
'''


class PackageHook(BuildHookInterface[Any]):
    """What hatchling calls before it puts the wheel together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise ValueError(
                "an editable installation has no package: run the app from its folder (make run)"
            )
        self.stage = tempfile.TemporaryDirectory()  # lasts as long as the hook
        package = lay_out(Path(self.root), Path(self.stage.name))
        build_data["force_include"][str(package)] = PACKAGE


def lay_out(root: Path, to: Path) -> Path:
    """Copies the folders of the project at `root` below `to` as one package, and returns its folder."""
    package = to / PACKAGE
    for folder in FOLDERS:
        shutil.copytree(
            root / folder, package / folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    for path in package.rglob("*.py"):
        path.write_text(follow(path.read_text("utf-8")), "utf-8")
    # Streamlit reads the settings beside the script that it runs
    shutil.copytree(root / ".streamlit", package / "app" / ".streamlit")
    (package / "__init__.py").write_text(INIT, "utf-8")
    return package


def follow(source: str) -> str:
    """The source with its imports of the three folders led below the package.

    Raises ValueError for `import models.trace` without a name: it would bind `models`, which is there no more.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and _ours(node.module or ""):
            _lead(lines, node, f"from {node.module}", f"from {PACKAGE}.{node.module}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if not _ours(alias.name):
                    continue
                if alias.asname is None:
                    raise ValueError(
                        f"line {node.lineno}: `import {alias.name} as …` or `from …` was expected"
                    )
                _lead(lines, node, f"import {alias.name}", f"import {PACKAGE}.{alias.name}")
    return "".join(lines)


def _ours(module: str) -> bool:
    return module.split(".")[0] in FOLDERS


def _lead(lines: list[str], node: ast.stmt, before: str, after: str) -> None:
    at = node.lineno - 1
    lines[at] = lines[at].replace(before, after, 1)
