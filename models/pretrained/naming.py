"""Where a call belongs: the stack it is in, whether it looks at its own stack, and its number there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from models.pretrained.masking import visible
from models.pretrained.recording import Recorded

CROSS = re.compile(
    r"encoder_attn|enc_attn|cross_?attn|cross_?attention|encdecattention|multihead_attn|xattn", re.I
)
STREAMS = (
    ("vision", re.compile(r"vision|visual|image|pixel")),
    ("audio", re.compile(r"audio|speech|wav")),
    ("decoder", re.compile(r"decoder")),
    ("text", re.compile(r"text|language")),
    ("encoder", re.compile(r"encoder")),
)
LAYER = re.compile(r"\.\d+(?:\.|$)")
NUMBERED = re.compile(r"(?:^|\.)(\d+)(?:\.|$)")

Stack = tuple[str, str]  # stream and kind


@dataclass(frozen=True)
class Place:
    """stream "encoder", "decoder", "vision", "text", "audio" or "main"; kind "self" or "cross"; layer: the model's own
    number, from 0. Where a model's layers have no attention, numbers are left out: a Jamba may have layers 1 and 3."""

    stream: str
    kind: str
    layer: int


def places(calls: Sequence[Recorded], paths: Mapping[str, Sequence[str]] | None = None) -> list[Place]:
    """One place per call. `paths` are all the paths of modules that stand in the model more than once (path → paths):
    the second run of a module is then that of its second path."""
    streams = _by_behaviour(calls, [_stream(call) for call in calls])
    stacks = [(stream, _kind(call)) for stream, call in zip(streams, calls, strict=True)]
    where = _where(calls, paths or {})
    numbers: dict[Stack, list[int]] = {
        stack: layer_numbers([path for path, at in zip(where, stacks, strict=True) if at == stack])
        for stack in dict.fromkeys(stacks)
    }
    left = {stack: iter(found) for stack, found in numbers.items()}
    return [Place(*stack, next(left[stack])) for stack in stacks]


def layer_numbers(paths: Sequence[str]) -> list[int]:
    """The number of each of these modules, which ran in this order: that in its path if all stand in one list of
    layers, each once and in order; else simply their order (ALBERT runs one module many times, Swin has lists in a
    list)."""
    found = [NUMBERED.search(path) for path in paths]
    lists = {path[: at.start(1)] for path, at in zip(paths, found, strict=True) if at is not None}
    numbers = [int(at[1]) for at in found if at is not None]
    own = len(numbers) == len(paths) and len(lists) == 1
    rising = all(a < b for a, b in itertools.pairwise(numbers))
    return numbers if own and rising else list(range(len(paths)))


def _where(calls: Sequence[Recorded], paths: Mapping[str, Sequence[str]]) -> list[str]:
    """The path of each call; that of a shared module is the one whose turn it is."""
    turns: dict[str, int] = {}
    found = []
    for call in calls:
        shared = paths.get(call.name, ())
        turn = turns[call.name] = turns.get(call.name, -1) + 1
        found.append(shared[turn] if turn < len(shared) else call.name)
    return found


def _kind(call: Recorded) -> str:
    crosses = getattr(call.module, "is_cross_attention", False) or CROSS.search(call.name)
    return "cross" if crosses else "self"


def _stream(call: Recorded) -> str:
    """By the module's path before the first layer number; a lone stack is a decoder if no query sees a later key."""
    path = LAYER.split(call.name.lower())[0]
    for stream, hint in STREAMS:
        if hint.search(path):
            return stream
    if _kind(call) == "cross" or _sees_nothing_later(call):
        return "decoder"
    return "encoder" if _square(call) else "main"


def _by_behaviour(calls: Sequence[Recorded], streams: Sequence[str]) -> list[str]:
    """A lone "encoder" in which no query sees a later key is a decoder, whatever its modules are called (BERT with
    `is_decoder`)."""
    own = [c for c, stream in zip(calls, streams, strict=True) if stream == "encoder" and _kind(c) == "self"]
    if "decoder" in streams or not own or not all(map(_sees_nothing_later, own)):
        return list(streams)
    return ["decoder" if stream == "encoder" else stream for stream in streams]


def _square(call: Recorded) -> bool:
    return call.query.shape[2] == call.key.shape[2]


def _sees_nothing_later(call: Recorded) -> bool:
    flag = getattr(call.module, "is_causal", None)
    if not _square(call) or call.query.shape[2] == 1:
        return bool(flag)
    seen: Tensor | None = visible(call, 0, 0)
    return seen is not None and not bool(seen.triu(1).any())
