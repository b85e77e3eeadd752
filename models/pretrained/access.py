"""Which models beside the ready ones may be opened by whoever reaches the app: all, those in some folders, or none.

ATTENTION_OWN_MODELS is `on`, `off`, or a list of folders, separated as in PATH. A refusal says the same whether
something lies on the disk or not, and is decided by the name alone: nobody learns from it what the disk holds.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from models.errors import InputError
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.problems import problem

VARIABLE = "ATTENTION_OWN_MODELS"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Access:
    """`everything`: any folder and any hub id; else folders in `folders` alone, of which there may be none."""

    everything: bool
    folders: tuple[Path, ...] = ()

    @property
    def nothing(self) -> bool:
        return not (self.everything or self.folders)

    def permitted(self, name: str) -> str:
        """What to give to `load_model` for the name of a folder or a hub id: the name, or the folder's real path.

        Raises InputError: model_own_off, model_own_elsewhere.
        """
        if self.everything:
            return name
        if self.nothing:
            raise problem("model_own_off", name=name, ready=", ".join(READY_MODELS))
        if (
            "\0" in name
            or not Path(name).is_absolute()
            or not _inside(os.path.normpath(name), self._roots(real=False))
        ):
            raise self._elsewhere(name)
        real = os.path.realpath(name)
        if not _inside(real, self._roots(real=True)):  # a link that leads out
            raise self._elsewhere(name)
        return real

    def _roots(self, *, real: bool) -> list[str]:
        """The folders by their real names, and by those under which they were given, too."""
        given = [] if real else [os.path.normpath(folder) for folder in self.folders]
        return given + [os.path.realpath(folder) for folder in self.folders]

    def _elsewhere(self, name: str) -> InputError:
        return problem("model_own_elsewhere", name=name, ready=", ".join(READY_MODELS))


def access(*, reachable: bool) -> Access:
    """As ATTENTION_OWN_MODELS says; without it everything, or nothing on a server that others can reach."""
    value = os.environ.get(VARIABLE, "").strip()
    if value.lower() in ("on", "off", ""):
        return Access(value.lower() == "on" or (not value and not reachable))
    folders = (_folder(part.strip()) for part in value.split(os.pathsep) if part.strip())
    return Access(everything=False, folders=tuple(folder for folder in folders if folder is not None))


def _folder(name: str) -> Path | None:
    try:
        return Path(name).expanduser().absolute()
    except (RuntimeError, ValueError):  # of a user that there is not
        _LOG.warning("%s: %r is no folder", VARIABLE, name)
        return None


def _inside(path: str, roots: list[str]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)
