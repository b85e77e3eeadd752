"""The same change in every head of a stack, one head at a time: which of them does the output depend on?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from models.interventions.change import Intervention, What
from models.interventions.compare import BIT, log_probabilities, moved
from models.interventions.subject import Subject
from models.pretrained.call import AttentionCall

TOKENS = 2048  # rows × tokens of one run: what a run needs in memory, and how often progress is told


@dataclass(frozen=True)
class Question:
    """What is done to every head (with its edge), the position whose output is looked at, and the token whose
    probability is followed (None where outputs are vectors). What is changed `besides` is so before and after."""

    what: What
    position: int
    token: int | None = None
    query: int | None = None
    key: int | None = None
    besides: tuple[Intervention, ...] = ()

    def change(self, call: AttentionCall, head: int) -> Intervention:
        """The change of one head."""
        edge = (self.query, self.key) if self.what == "edge" else (None, None)
        return Intervention(call.stream, call.kind, call.layer, head, self.what, *edge)


@dataclass
class Scan:
    """`effects` (layers × heads): by how many bits the token's probability changes when a head is changed (below 0: the
    head helps it), or how far the vector turns (cosine distance); NaN where there is no head, or none measured yet."""

    effects: Tensor
    heads: int
    measured: int = 0
    seconds: float = 0.0
    left: list[tuple[int, int]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return not self.left


def begin(calls: Sequence[AttentionCall]) -> Scan:
    """A scan of all heads of these calls (one stack, layer by layer) in which nothing is measured yet."""
    places = [(layer, head) for layer, call in enumerate(calls) for head in range(call.heads)]
    most = max(call.heads for call in calls)
    return Scan(torch.full((len(calls), most), torch.nan), len(places), left=places)


def go_on(
    scan: Scan,
    subject: Subject,
    calls: Sequence[AttentionCall],
    question: Question,
    *,
    seconds: float = torch.inf,
    report: Callable[[float], object] = lambda _: None,
) -> Scan:
    """The scan with more heads measured: all of them, or as many as fit into about `seconds`. `report` is told how far
    it is, from 0 to 1. The scan that is given stays as it is. Raises what `Subject.run` raises."""
    found = Scan(scan.effects.clone(), scan.heads, scan.measured, scan.seconds, list(scan.left))
    began = time.monotonic()
    for places in _portions(found.left, subject.positions):
        kept = question.besides
        rows = [[*kept, question.change(calls[layer], head)] for layer, head in places]
        outputs = subject.run([kept, *rows], question.position)
        for place, effect in zip(places, effects(outputs, question.token), strict=True):
            found.effects[place] = effect
        found.measured += len(places)
        found.left = found.left[len(places) :]
        report(found.measured / found.heads)
        if time.monotonic() - began > seconds:
            break
    found.seconds += time.monotonic() - began
    return found


def effects(outputs: Tensor, token: int | None) -> list[float]:
    """The effect of every output after the first, which is the one without a change (rows × A or rows × D)."""
    if token is None:
        return moved(outputs[:1], outputs[1:]).turned.tolist()
    chances = log_probabilities(outputs)[:, token] / BIT
    return [0.0 if after == chances[0] else float(after - chances[0]) for after in chances[1:]]


def _portions(places: Sequence[tuple[int, int]], tokens: int) -> Iterator[list[tuple[int, int]]]:
    size = max(1, TOKENS // tokens - 1)
    for start in range(0, len(places), size):
        yield list(places[start : start + size])
