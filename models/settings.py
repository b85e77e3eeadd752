"""What the user chose for the from-scratch pages, and the worked examples to start from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from models.attention import head_size
from models.edits import Edits, MatrixEdit
from models.errors import out_of_range, unknown_choice
from models.tokenizer import Cut

MAX_TOKENS = 256
MAX_D_MODEL = 512
MAX_HEADS = 16
MAX_HEAD_SIZE = 512
MAX_SEED = 2**31 - 1
TEMPERATURES = (0.05, 10.0)

Vectors = Literal["seeded", "worked"]
Position = Literal["none", "sinusoidal"]
Mask = Literal["none", "causal"]
CUTS: tuple[Cut, ...] = get_args(Cut)


@dataclass(frozen=True)
class Settings:
    """Everything that decides the numbers. Equal settings give equal numbers on every machine.

    The text is `cut` into words or characters.

    `vectors` are drawn per word from `seed`, or the worked example's; `d_k` and `d_v` are d_model / heads if None;
    `hidden` are token positions treated as padding; `edits` are the matrices that the user changed.
    """

    text: str = ""
    cut: Cut = "words"
    vectors: Vectors = "seeded"
    seed: int = 7
    d_model: int = 16
    heads: int = 4
    d_k: int | None = None
    d_v: int | None = None
    position: Position = "none"
    mask: Mask = "none"
    hidden: tuple[int, ...] = ()
    temperature: float = 1.0
    edits: Edits = field(default_factory=Edits)

    def checked(self) -> Settings:
        """These settings. Raises InputError, in words for the user, for the first one that cannot be used."""
        _whole("d_model", self.d_model, 1, MAX_D_MODEL)
        _whole("heads", self.heads, 1, MAX_HEADS)
        _whole("seed", self.seed, 0, MAX_SEED)
        for name, size in (("d_k", self.d_k), ("d_v", self.d_v)):
            if size is not None:
                _whole(name, size, 1, MAX_HEAD_SIZE)
        if self.d_k is None or self.d_v is None:
            head_size(self.d_model, self.heads)
        low, high = TEMPERATURES
        if not (math.isfinite(self.temperature) and low <= self.temperature <= high):
            raise out_of_range("temperature", self.temperature, low, high)
        for name, value, allowed in (
            ("cut", self.cut, Cut),
            ("vectors", self.vectors, Vectors),
            ("position", self.position, Position),
            ("mask", self.mask, Mask),
        ):
            if value not in get_args(allowed):
                raise unknown_choice(name, value, get_args(allowed))
        return self


def _whole(name: str, value: int, low: int, high: int) -> None:
    if not isinstance(value, int) or not low <= value <= high:
        raise out_of_range(name, value, low, high)


_IDENTITY = Edits({name: MatrixEdit(base="identity") for name in ("w_q", "w_k", "w_v", "w_o")})

PRESETS: Mapping[str, Settings] = {
    # every number of this one can be checked by hand
    "fruit": Settings("我 喜欢 苹果", vectors="worked", d_model=3, heads=1, edits=_IDENTITY),
    "nlp": Settings("I love NLP", d_model=8, heads=2, position="sinusoidal"),
    "animal": Settings("The animal didn't cross the street because it was tired", position="sinusoidal"),
    # the sizes of the original paper: d_model 512, 8 heads, d_k = d_v = 64
    "paper": Settings("I love NLP", d_model=512, heads=8, position="sinusoidal"),
}
DEFAULT_PRESET = "fruit"
