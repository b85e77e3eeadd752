"""What can be turned in the laboratories: every knob with its default, its range and its name in the address. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Value = str | int | float | bool


@dataclass(frozen=True)
class Knob:
    """`name` is the query parameter; the type of `default` is the type of the value. Numbers lie in low … high, a text
    is one of `options` or, without options, any text of at most `high` characters that the regular expression `pattern`
    describes."""

    name: str
    default: Value
    low: float = 0
    high: float = 0
    options: tuple[str, ...] = ()
    pattern: str = "(?s:.*)"

    def read(self, text: str) -> Value:
        """The value in a query parameter. Raises ValueError if it is none."""
        if isinstance(self.default, bool):
            return {"0": False, "1": True}[text] if text in ("0", "1") else _refuse(text)
        if isinstance(self.default, str):
            fits = (
                text in self.options if self.options else len(text) <= self.high and self._is_described(text)
            )
            return text if fits else _refuse(text)
        if isinstance(self.default, int) and not (
            len(text) < 12 and text.lstrip("-").isdecimal() and text.isascii()
        ):
            return _refuse(text)
        value = float(text) if len(text) < 30 else math.nan
        if not self.low <= value <= self.high:  # also false for NaN
            return _refuse(text)
        return int(value) if isinstance(self.default, int) else value

    def _is_described(self, text: str) -> bool:
        return re.fullmatch(self.pattern, text) is not None

    def fits(self, value: object) -> bool:
        """Whether this is a value of the knob. A whole number is one where fractions are; a switch is no number."""
        kinds = (int, float) if isinstance(self.default, float) else (type(self.default),)
        if type(value) not in kinds:
            return False
        try:
            self.read(self.write(value))  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            return False
        return True

    def write(self, value: Value) -> str:
        """The value as a query parameter."""
        if isinstance(value, bool):
            return str(int(value))
        return f"{value:g}" if isinstance(value, float) else str(value)


def _refuse(text: str) -> Value:
    raise ValueError(text)


_POSITION: tuple[Knob, ...] = (
    Knob("p_scheme", "sinusoidal", options=("none", "sinusoidal", "learned", "rotary", "alibi", "t5")),
    Knob("p_view", "encoding", options=("encoding", "sentence", "similarity")),
    Knob("p_base", 10_000.0, 2, 1_000_000),
    Knob("p_length", 64, 2, 4096),
    Knob("p_d", 32, 1, 512),
    Knob("p_dimension", 4, 0, 511),
    Knob("p_shift", 0, 0, 4000),
    Knob("p_buckets", 32, 4, 256),
    Knob("p_furthest", 128, 2, 4096),
    Knob("p_both", True),
)
_ORDER: tuple[Knob, ...] = (
    Knob("o_task", "shuffle", options=("shuffle", "replace")),
    Knob("o_scheme", "sinusoidal", options=("none", "sinusoidal", "rotary", "alibi", "t5")),
    Knob("o_order", "", high=1000),
    Knob("o_token", 1, 0, 255),
    Knob("o_word", "", high=40),
)
_MASKS: tuple[Knob, ...] = (
    Knob("m_window", 0, 0, 256),
    Knob("m_prefix", 0, 0, 256),
    Knob("m_cells", "", high=5000, pattern=r"(\d{1,3}\.(\d{1,3}|\*)(,(?=\d)|$))*"),  # row.column or row.*
    Knob("m_word", "", high=40),
)
_SCALE: tuple[Knob, ...] = (
    Knob("s_dk", 256, 1, 1024),
    Knob("s_keys", 12, 2, 32),
    Knob("s_temp", 1.0, 0.05, 100.0),
    Knob("s_seed", 7, 0, 9999),
    Knob("s_add", 100, -200, 200),
    Knob("s_dtype", "float32", options=("float32", "float16", "bfloat16")),
)
_GEOMETRY: tuple[Knob, ...] = (
    Knob("g_source", "free", options=("free", "pair", "keys")),
    Knob("g_qx", 2.5, -4, 4),
    Knob("g_qy", 1.0, -4, 4),
    Knob("g_kx", 1.2, -4, 4),
    Knob("g_ky", 2.4, -4, 4),
    Knob("g_factor", 1.0, 0.1, 4),
    Knob("g_what", "query", options=("query", "key")),
)
_COST: tuple[Knob, ...] = (
    Knob("c_n", 64, 1, 4096),
    Knob("c_d", 128, 1, 512),
    Knob("c_k", 3, 1, 31),
    Knob("c_r", 32, 1, 1024),
    Knob("c_top", "1024", options=("256", "512", "1024", "2048", "4096")),
    Knob("c_gain", 1.0, 0.1, 10.0),
)
_TRAINING: tuple[Knob, ...] = (
    Knob(
        "t_task",
        "repeat",
        options=("copy", "reverse", "sort", "repeat", "brackets", "words-en", "words-zh"),
    ),
    Knob("t_seed", 0, 0, 9999),
    Knob("t_d_model", 0, 0, 256),  # 0, here and below: as the task has it
    Knob("t_heads", 0, 0, 16),
    Knob("t_layers", 0, 0, 6),
    Knob("t_length", 0, 0, 128),
    Knob("t_rate", 0.0, 0, 10),
    Knob("t_step", -1, -1, 20_000),  # the snapshot that is looked at; −1 is the newest
    Knob("t_text", "", high=200),
    Knob("t_stream", "decoder", options=("encoder", "decoder")),
    Knob("t_kind", "self", options=("self", "cross")),
    Knob("t_layer", 0, 0, 5),
    Knob("t_head", -1, -1, 15),  # −1 is the head that comes nearest to the task's right attention
    Knob("t_i", 0, 0, 255),
    Knob("t_j", 0, 0, 255),
    Knob("t_what", "weights", options=("weights", "moved", "gradient")),
)
_TRANSLATE: tuple[Knob, ...] = (
    Knob("e_mean", False),
    Knob("e_stay", False),
)

_MEASURES = (
    "previous", "next", "itself", "earlier", "first", "induction", "separator", "diagonal", "distance", "entropy",
    "evenness",
)  # fmt: skip
_ROLES: tuple[Knob, ...] = (
    Knob("r_measure", "role", options=("role", *_MEASURES)),
    Knob("r_on", "text", options=("text", "repeat", "task", "sentences")),
    Knob("r_sort", "score", options=("score", "place")),
)
_GROW: tuple[Knob, ...] = (
    Knob("w_stay", False),
    Knob("w_ids", "", high=6000, pattern=r"([1-4][A-Za-z0-9_-]+)?"),  # what was written: app.trained.grow.ids
    Knob(
        "w_of", "", high=8, pattern="[0-9a-f]*"
    ),  # behind which prompt it was written: app.trained.grow.grow
    Knob("w_mode", "greedy", options=("greedy", "sampled")),
    Knob("w_temp", 1.0, 0.05, 5.0),  # the bounds are those of models.generation.choice
    Knob("w_seed", 7, 0, 9999),
    Knob("w_row", -1, -1, 9_999),  # the row that is looked at; −1 is the newest
    Knob(
        "w_col", -1, -1, 9_999
    ),  # the column; −1 is where the row looks most. Other pages keep a cell of their own
)
_CAUSE: tuple[Knob, ...] = (
    Knob("x_what", "edge", options=("edge", "uniform", "off")),
    Knob("x_at", -1, -1, 9_999),  # the position whose output is compared; −1: as the page chooses
    Knob("x_token", -1, -1, 9_999_999),  # the token that is followed; −1: the likeliest before
    Knob(
        "x_off", "", high=400, pattern=r"(\d{1,3}\.\d{1,3}(,(?=\d)|$))*"
    ),  # heads that are off as well: layer.head
    Knob("x_scan", False),
    Knob("x_stay", False),
)

KNOBS: Mapping[str, Knob] = MappingProxyType(
    {
        knob.name: knob
        for knob in (
            *_POSITION,
            *_ORDER,
            *_MASKS,
            *_SCALE,
            *_GEOMETRY,
            *_COST,
            *_TRAINING,
            *_TRANSLATE,
            *_GROW,
            *_ROLES,
            *_CAUSE,
        )
    }
)
