"""The languages of the interface: one TOML file each in `locales/`, found by looking. A new language is a new file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LOCALES = Path(__file__).parent / "locales"
DEFAULT_LANGUAGE = "en"


@cache
def locale(language: str) -> dict[str, Any]:
    """The tables of one locale file. Raises FileNotFoundError for a language that has no file."""
    return tomllib.loads((LOCALES / f"{language}.toml").read_text("utf-8"))


def _discover() -> dict[str, str]:
    codes = sorted(path.stem for path in LOCALES.glob("*.toml"))
    return {code: str(locale(code)["meta"]["name"]) for code in codes}


LANGUAGES: dict[str, str] = _discover()
"""Language code → its own name, e.g. {"en": "English", "zh": "中文"}."""


def preferred_language(tag: str | None) -> str:
    """The language for a browser's locale tag ("zh-CN" → "zh"), English where there is no file for it."""
    code = (tag or "").replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES else DEFAULT_LANGUAGE
