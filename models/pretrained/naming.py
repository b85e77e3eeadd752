"""Where a call belongs: the stack it is in, whether it looks at its own stack, and its number there."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


@dataclass(frozen=True)
class Place:
    """stream "encoder", "decoder", "vision", "text", "audio" or "main"; kind "self" or "cross"; layer from 0."""

    stream: str
    kind: str
    layer: int


def places(calls: Sequence[Recorded]) -> list[Place]:
    """One place per call. Layers are numbered in the order of the calls: ALBERT runs one module many times."""
    counts: dict[tuple[str, str], int] = {}
    found = []
    for call in calls:
        at = (_stream(call), _kind(call))
        counts[at] = counts.get(at, -1) + 1
        found.append(Place(*at, counts[at]))
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


def _square(call: Recorded) -> bool:
    return call.query.shape[2] == call.key.shape[2]


def _sees_nothing_later(call: Recorded) -> bool:
    flag = getattr(call.module, "is_causal", None)
    if not _square(call) or call.query.shape[2] == 1:
        return bool(flag)
    seen: Tensor | None = visible(call, 0, 0)
    return seen is not None and not bool(seen.triu(1).any())
