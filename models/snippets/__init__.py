"""Code to take away: the source of the function behind a step, and a script that reproduces the step."""

from __future__ import annotations

from models.snippets.functions import source, source_file
from models.snippets.script import snippet

__all__ = ["snippet", "source", "source_file"]
