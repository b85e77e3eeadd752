"""Fixed texts to measure a model's heads on, so that models and heads can be compared whatever text is open."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

import torch

from models.errors import InputError
from models.head_roles.measures import Tally
from models.head_roles.stacks import Stack, trace_tallies
from models.pretrained import Model, ModelTrace, OwnModel, PretrainedModel
from models.pretrained.encoding import Encoder
from models.pretrained.inputs import is_encoder_decoder
from models.pretrained.pieces import CONTINUED, piece_bytes

REPEAT, TASK, SENTENCES = "repeat", "task", "sentences"
SEED = 7
PERIOD = 50  # tokens drawn, then repeated once; the usual length for finding induction heads
LEAST_PERIOD = 4
ROUNDS = 2  # sequences of drawn tokens
EXAMPLES = 12  # of a model's own task
NATURAL = (
    "The keys to the cabinet are on the table, but nobody knows who left them there.",
    "When Mary and John went to the store, John gave a bottle of milk to Mary.",
    "She poured water from the jug into the glass until it was full.",
    "In 1969, two people walked on the Moon; a third stayed behind in orbit.",
    "昨天下午下了一场大雨，所以他们没有去公园。",
    "老师把书放在桌子上，然后走出了教室。",
    "小猫跳上窗台，看着窗外的小鸟。",
    "我喜欢苹果，她喜欢香蕉，他什么水果都喜欢。",
)


@dataclass(frozen=True)
class Measured:
    """The texts that were read, how many tokens they have together, and the tallies of every stack's layers."""

    texts: tuple[str, ...]
    tokens: int
    stacks: dict[Stack, list[Tally]]


def samples_of(model: Model) -> tuple[str, ...]:
    """Which samples suit a model. A model of ours knows its task's symbols alone; a translator has no use for random
    tokens."""
    if isinstance(model, OwnModel):
        return (TASK,)
    if is_encoder_decoder(model.module) or repeated_tokens(model, SEED) is None:
        return (SENTENCES,)
    return (REPEAT, SENTENCES)


def sample_texts(model: Model, sample: str) -> tuple[str, ...]:
    """The texts of a sample, always the same ones."""
    if isinstance(model, OwnModel):
        return _task_texts(model)
    if sample == REPEAT:
        drawn = (repeated_tokens(model, SEED + number) for number in range(ROUNDS))
        return tuple(text for text in drawn if text is not None)
    return NATURAL


def measure_sample(
    model: Model, sample: str, report: Callable[[float], object] = lambda _: None, *, aside: bool = False
) -> Measured:
    """Runs the model on the texts of a sample and measures all its heads, one text and one layer at a time.

    Texts that the model cannot read (characters that its vocabulary lacks) are left out. `report` is told how far it
    is, from 0 to 1. `aside` sets the first token aside.
    """
    texts = sample_texts(model, sample)
    read: list[tuple[str, int]] = []

    def traces() -> Iterator[ModelTrace]:
        for number, text in enumerate(texts, start=1):
            if (trace := _read(model, text)) is not None:
                read.append((text, max(len(tokens) for tokens in trace.tokens.values())))
                yield trace
            report(number / len(texts))

    stacks = trace_tallies(traces(), aside=aside)
    return Measured(tuple(text for text, _ in read), sum(count for _, count in read), stacks)


def repeated_tokens(model: PretrainedModel, seed: int) -> str | None:
    """A text of random tokens of the vocabulary, each a word of its own, that is said twice: whoever has seen the first
    half can continue the second. None for a vocabulary without words.

    (Olsson et al. 2022 measure induction heads on repeated random tokens.)
    """
    words = _words(model.encoder)
    room = (model.info.max_positions or 10**9) - model.encoder.added(pair=False)
    period = min(PERIOD, len(words), room // 2)
    if period < LEAST_PERIOD:
        return None
    drawn = random.Random(seed).sample(words, period)
    text = " ".join(drawn * 2)
    # in byte-level vocabularies the space belongs to the word: the first one has to have it, too
    return f" {text}" if model.encoder.scheme == "byte_level" else text


def _words(encoder: Encoder) -> list[str]:
    """Words of at least two letters that are one token each, in a fixed order."""
    spaced = encoder.scheme in ("byte_level", "byte_fallback", "metaspace")
    found = []
    for piece in encoder.tokenizer.get_vocab():
        text = piece_bytes(piece, encoder.scheme).decode("utf-8", "replace")
        word = text.removeprefix(" ")
        if piece.startswith(CONTINUED) or (spaced and word == text):
            continue
        if len(word) >= 2 and word.isascii() and word.isalpha():
            found.append(word)
    return sorted(set(found))


def _task_texts(model: OwnModel) -> tuple[str, ...]:
    """Examples of what the model was trained on, but not the very ones."""
    batch = model.task.sample_unseen(EXAMPLES, torch.Generator().manual_seed(SEED))
    return tuple(dict.fromkeys(_typed(model, ids) for ids in batch.ids.tolist()))


def _typed(model: OwnModel, ids: Sequence[int]) -> str:
    """What a user would have to type for these ids: from the first symbol that can be typed to the last in a row."""
    can = frozenset(model.task.alphabet).__contains__
    symbols = (model.task.symbols[number] for number in ids)
    return "".join(takewhile(can, dropwhile(lambda symbol: not can(symbol), symbols)))


def _read(model: Model, text: str) -> ModelTrace | None:
    """The trace of a text; None if the model does not know all of it."""
    try:
        trace = model.trace(text)
    except InputError:
        return None
    source: Sequence[object] = next(iter(trace.tokens.values())).pieces
    return None if any(getattr(token, "unknown", False) for token in source) else trace
