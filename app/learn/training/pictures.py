"""What is shown of a model on one text: every attention, how much of it goes where it should, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
import torch

from app.learn.training.runs import Seen
from models.pretrained.call import AttentionCall
from models.pretrained.own_calls import run
from models.training.examples import worked
from models.training.goals import Goal, goal, share
from models.training.tasks import IGNORE, Task
from models.transformer.model import Transformer

KEPT = 12  # pictures, each with its model: 0.1 to 0.6 MB as the tasks have it, up to 20 MB with the largest sizes
SHARES_KEPT = 10_000  # numbers


@dataclass(frozen=True)
class Answer:
    """One place at which the model answers: what it has read there, what it says, and what would be right."""

    read: str
    said: str
    right: str
    probability: float


@dataclass(frozen=True)
class Picture:
    """`shares` is the share of the weights that go where they should, one row per layer of the goal's stack."""

    calls: tuple[AttentionCall, ...]
    answers: tuple[Answer, ...]
    goal: Goal
    shares: tuple[tuple[float, ...], ...]

    @property
    def stacks(self) -> dict[tuple[str, str], list[AttentionCall]]:
        """The calls by stream and kind, the goal's first."""
        found: dict[tuple[str, str], list[AttentionCall]] = {(self.goal.stream, self.goal.kind): []}
        for call in self.calls:
            found.setdefault((call.stream, call.kind), []).append(call)
        return found

    @property
    def best(self) -> tuple[int, int, float]:
        """Layer, head and share of the head that is nearest to the goal."""
        places = [(layer, head, one) for layer, row in enumerate(self.shares) for head, one in enumerate(row)]
        return max(places, key=lambda place: place[2])


def picture(seen: Seen, text: str) -> Picture:
    """Computed once per model and text. Raises InputError for a text that the task does not know."""
    return _picture(seen.key, text, seen)


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _picture(key: tuple[str, int], text: str, _seen: Seen) -> Picture:  # noqa: ARG001 - the cache's key
    return draw(_seen.make(), _seen.setup.task, text)


def best_share(seen: Seen, text: str) -> float:
    """The share of the head that is nearest to the goal: for curves, as whole pictures would take too much memory."""
    return _best_share(seen.key, text, seen)


@st.cache_data(max_entries=SHARES_KEPT, show_spinner=False)
def _best_share(key: tuple[str, int], text: str, _seen: Seen) -> float:  # noqa: ARG001 - the cache's key
    return draw(_seen.make(), _seen.setup.task, text).best[2]


def draw(model: Transformer, task: Task, text: str) -> Picture:
    """The picture of any model."""
    batch = worked(task, text)
    ids, target = batch.ids[0].tolist(), None if batch.target is None else batch.target[0].tolist()
    calls, logits = run(model, ids, target)
    source = tuple(task.symbols[index] for index in ids)
    written = None if target is None else tuple(task.symbols[index] for index in target)
    wanted = goal(task.name, source, written)
    assert wanted is not None
    named = tuple(_named(call, source, written or source) for call in calls)
    heads = [call for call in named if (call.stream, call.kind) == (wanted.stream, wanted.kind)]
    shares = tuple(
        tuple(share(torch.stack([call.weights(h) for h in range(call.heads)]), wanted.places).tolist())
        for call in heads
    )
    chances = logits.softmax(-1)
    answers = tuple(
        Answer(symbol, task.symbols[int(row.argmax())], task.symbols[label], float(row[label]))
        if label != IGNORE
        else Answer(symbol, "", "", 0.0)
        for symbol, row, label in zip(written or source, chances, batch.labels[0].tolist(), strict=True)
    )
    return Picture(named, answers, wanted, shares)


def _named(call: AttentionCall, source: tuple[str, ...], written: tuple[str, ...]) -> AttentionCall:
    queries = source if call.stream == "encoder" else written
    keys = source if call.kind == "cross" else queries
    return call.with_labels(queries, keys)
