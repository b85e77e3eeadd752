"""What a model that writes one token at a time can do, whatever it is built of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from models.errors import InputError
from models.pretrained.info import ModelInfo
from models.pretrained.labels import ModelTokens
from models.pretrained.model import ModelTrace

ROOM = 1280  # tokens that are read and written at most: 1,024 of a text, and 256 more

SENTENCES = {
    "model_does_not_write": (
        "{model} reads a text and writes none: every token sees the later ones too. A decoder or a translator was "
        "expected. Choose SmolLM2 or the translator."
    ),
    "grow_prompt_too_long": (
        "The text has {tokens:,} tokens; at most {room:,} were expected, so that there is room for one more. Shorten "
        "the text."
    ),
    "grow_full": (
        "The text fills all {room:,} places that there are for tokens: there is none for another. Step back, or start "
        "from a shorter text."
    ),
    "grow_ended": (
        "The model has ended its text, and nothing is expected after that. Step back and choose another token."
    ),
    "grow_not_a_token": (
        "A token from 0 to {last:,} was expected, received {token}. Choose one of the candidates."
    ),
}


def refusal(key: str, **values: object) -> InputError:
    """The error of a key of `SENTENCES`."""
    return InputError(key, SENTENCES[key].format(**values), **values)


@dataclass(frozen=True)
class Prompt:
    """What there is before the model writes: `ids` that its decoder reads first (a text's own, or the start of a
    translation), and for an encoder–decoder the `source` it reads."""

    ids: tuple[int, ...]
    source: ModelTokens | None = None


@dataclass(frozen=True)
class Reading:
    """`state` is the writer's own, after it has read some tokens; `logits` (N × A) are those of the tokens after each
    of the last N it has read."""

    state: Any
    logits: Tensor


class Writer(ABC):
    """A model as something that reads tokens and says what may come next.

    `cached` says whether only new rows are computed, `room` how many tokens its decoder can read, `vocabulary` how many
    tokens there are to choose from, `ends` which of them end the text, `numbers_per_row` about how many numbers are
    kept for every token. States are never changed: reading gives a new one, so a text can branch, and sessions share.
    """

    cached: bool = True
    room: int = ROOM
    vocabulary: int
    numbers_per_row: int = 0
    ends: frozenset[int] = frozenset()

    @abstractmethod
    def begin(self, text: str) -> tuple[Prompt, Reading]:
        """Reads the prompt. Raises InputError empty_text, grow_prompt_too_long."""

    @abstractmethod
    def read(self, state: Any, ids: Sequence[int]) -> Reading:
        """Reads more tokens; logits after each of them."""

    @abstractmethod
    def back(self, state: Any, rows: int) -> Any:
        """The state when only the first `rows` tokens had been read; nothing is computed."""

    @abstractmethod
    def trace(self, prompt: Prompt, written: Sequence[int], state: Any) -> ModelTrace:
        """Attention over everything read, with names for the tokens."""

    @abstractmethod
    def tokens(self, prompt: Prompt, written: Sequence[int]) -> ModelTokens:
        """The tokens of prompt and written text together, labelled."""


def numbers_per_row(info: ModelInfo) -> int:
    """Per layer a query, what went into the layer and what came out of its heads, a key and a value."""
    return sum(info.layers.values()) * (3 * info.d_model + 2 * info.kv_heads * info.head_dim)
