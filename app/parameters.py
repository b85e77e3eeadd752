"""The query parameters of an address: their names, what they fill, how they are read and written. Pure.

Reading trusts nothing: what cannot be used raises ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.languages import LANGUAGES
from app.model_view import (
    LINKS_KEPT,
    MAX_HEAD,
    MAX_LAYER,
    MAX_NAME,
    MAX_TOKEN,
    PARTS,
    STREAMS,
)
from models.edits import NAMES, Edits
from models.settings import (
    CUTS,
    MAX_D_MODEL,
    MAX_HEAD_SIZE,
    MAX_HEADS,
    MAX_SEED,
    MAX_TOKENS,
    PRESETS,
    TEMPERATURES,
)
from models.vocabulary import ORDER

LINK_LIMIT = 6_000  # characters of one parameter, as they stand in the address: proxies refuse much more
MAX_CELL = MAX_HEADS * MAX_HEAD_SIZE  # the widest matrix: all heads side by side


@dataclass(frozen=True)
class Parameter:
    """One query parameter: its name, the field it fills, and how to read and write it (reading raises ValueError)."""

    name: str
    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str

    def fits(self, value: object) -> bool:
        """Whether the field may hold this value: an address could say it, in the same type ("4" is no head, nor is
        True). Texts and edits may be longer than an address can carry."""
        if self.read in (_sentence, _edits):
            return isinstance(value, str if self.read is _sentence else Edits)
        try:
            known = self.read(self.write(value))
        except (ValueError, OverflowError, TypeError, AttributeError):
            return False
        return type(value) is type(known) or (type(value), type(known)) == (int, float)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and low <= int(text) <= high):
            raise ValueError(text)
        return int(text)

    return read


def _maybe(read: Callable[[str], int]) -> Callable[[str], int | None]:
    return lambda text: None if text == "auto" else read(text)


def _one_of(options: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in options:
            raise ValueError(text)
        return text

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text) if len(text) < 30 else math.nan
        if not low <= number <= high:  # also false for NaN
            raise ValueError(text)
        return number

    return read


def _sentence(text: str) -> str:
    if len(text) > LINK_LIMIT:
        raise ValueError("too long")
    return text


def _name(text: str) -> str:
    if not 0 < len(text) <= MAX_NAME or not text.isprintable():
        raise ValueError(text)
    return text


def _switch(text: str) -> bool:
    return _one_of(("0", "1"))(text) == "1"


def _indices(text: str) -> tuple[int, ...]:
    read = _whole(0, MAX_TOKENS - 1)
    return tuple(sorted({read(part) for part in text.split(",")})) if text else ()


def _edits(text: str) -> Edits:
    if len(text) > LINK_LIMIT:
        raise ValueError("too long")
    return Edits.decode(text)


_INDEX = _whole(0, MAX_CELL - 1)

SETTINGS = (
    Parameter("text", "text", _sentence),
    Parameter("cut", "cut", _one_of(CUTS)),
    Parameter("vec", "vectors", _one_of(("seeded", "worked"))),
    Parameter("seed", "seed", _whole(0, MAX_SEED)),
    Parameter("d", "d_model", _whole(1, MAX_D_MODEL)),
    Parameter("heads", "heads", _whole(1, MAX_HEADS)),
    Parameter("dk", "d_k", _maybe(_whole(1, MAX_HEAD_SIZE)), lambda v: "auto" if v is None else str(v)),
    Parameter("dv", "d_v", _maybe(_whole(1, MAX_HEAD_SIZE)), lambda v: "auto" if v is None else str(v)),
    Parameter("pos", "position", _one_of(("none", "sinusoidal"))),
    Parameter("mask", "mask", _one_of(("none", "causal"))),
    Parameter("hide", "hidden", _indices, lambda v: ",".join(map(str, v))),
    Parameter("temp", "temperature", _number(*TEMPERATURES), lambda v: f"{v:g}"),
    Parameter("edits", "edits", _edits, lambda v: v.encode()),
)
VIEW = (
    Parameter("step", "step", _one_of(ORDER)),
    Parameter("i", "i", _INDEX),
    Parameter("j", "j", _INDEX),
    Parameter("head", "head", _whole(0, MAX_HEADS - 1)),
)
MODEL = (
    Parameter("model", "model", _name),
    Parameter("mtext", "text", _sentence),
    Parameter("mpair", "pair", _sentence),
    Parameter("mtarget", "target", _sentence),
    Parameter("stream", "stream", _one_of(STREAMS)),
    Parameter("kind", "kind", _one_of(("self", "cross"))),
    Parameter("layer", "layer", _whole(0, MAX_LAYER)),
    Parameter("mhead", "head", _whole(0, MAX_HEAD)),
    Parameter("mi", "i", _whole(0, MAX_TOKEN)),
    Parameter("mj", "j", _whole(0, MAX_TOKEN)),
    *(Parameter(name, name, _switch, lambda on: str(int(on))) for name in ("words", "special", "sink")),
    Parameter("part", "part", _one_of(PARTS)),
    Parameter("kept", "kept", lambda text: int(_one_of([str(n) for n in LINKS_KEPT])(text))),
)
TOP = (
    Parameter("lang", "language", _one_of(tuple(LANGUAGES))),
    Parameter("text2", "second_text", _sentence),
    Parameter("matrix", "matrix", _one_of(NAMES)),
)
PRESET = Parameter("preset", "preset", _one_of(tuple(PRESETS)))
