"""What one head does to a model's output: the model run again with that head switched off, even, or one edge cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
import torch
from torch import Tensor

from app import state
from app.i18n import t
from app.trained.headline import SPACE
from app.trained.kept import Kept
from app.trained.opening import Opened
from app.trained.stack import Stack
from models.interventions.change import WHATS, Intervention, What
from models.interventions.compare import BIT, Comparison, Moved, compare, log_probabilities, moved
from models.interventions.subject import Subject
from models.pretrained import Model, OwnModel
from models.pretrained.labels import label_tokens

RUNS_KEPT = 24  # four rows of the vocabulary each: under 1 MB
CANDIDATES = 5  # of the likeliest before and after
CONTEXT = 8  # tokens before a candidate that its label may depend on


@dataclass(frozen=True)
class Run:
    """The outputs at one position (A, or N × D for vectors): `before` any change, with the heads alone that are off
    `besides`, and `after` each change on top of those."""

    before: Tensor
    besides: Tensor
    after: dict[What, Tensor]


@dataclass(frozen=True)
class Seen:
    """All that the page shows of the head that is looked at: what is done to it (`what`), the `position` whose output
    is compared, and the `token` whose probability is followed (None where outputs are vectors)."""

    now: Opened
    stack: Stack
    subject: Subject
    what: What
    position: int
    run: Run
    token: int | None
    besides: tuple[Intervention, ...] = ()

    @property
    def weight(self) -> float:
        """The attention from the chosen query to the chosen key."""
        return float(self.stack.call.weights(self.stack.head)[self.stack.i, self.stack.j])

    @property
    def hidden(self) -> bool:
        """Whether the query may not look at the key anyway."""
        visible = self.stack.call.visible(self.stack.head)
        return visible is not None and not bool(visible[self.stack.i, self.stack.j])

    def compared(self, what: What | None = None) -> Comparison:
        """The predictions before and after a change (the chosen one unless another is named)."""
        return compare(
            self.run.before, self.run.after[what or self.what], most=CANDIDATES, watched=self.token
        )

    def moved(self, what: What | None = None) -> Moved:
        """How far the vectors have moved, all positions."""
        return moved(self.run.before, self.run.after[what or self.what])

    def change(self, what: What | None) -> float:
        """By how many bits the followed token's probability changes, or how far the vector turns; with None by the
        heads alone that are off besides."""
        after = self.run.besides if what is None else self.run.after[what]
        if self.token is None:
            return float(moved(self.run.before, after).turned[self.position])
        p, q = (log_probabilities(x)[self.token] / BIT for x in (self.run.before, after))
        return 0.0 if p == q else float(q - p)

    def label(self, token: int) -> str:
        """How a token of the vocabulary is drawn behind the text at this position."""
        return token_label(self.now.model, token, self._before())

    def _before(self) -> tuple[int, ...]:
        stream = "decoder" if "decoder" in self.now.trace.tokens else next(iter(self.now.trace.tokens), "")
        tokens = self.now.trace.tokens.get(stream)
        return () if tokens is None else tokens.ids[max(0, self.position + 1 - CONTEXT) : self.position + 1]


def seen(now: Opened, stack: Stack) -> Seen:
    """Runs the model (or takes the run that was kept). Raises InputError where the model cannot be changed or its
    outputs cannot be compared."""
    subject = Subject.of(now.model.module, now.trace)
    if state.lab("x_at") >= subject.positions:  # controls and address say what is shown
        state.turn(x_at=-1)
    position = position_of(subject, stack)
    what: What = state.lab("x_what")
    heads = besides(stack)
    key = (now.key, stack.name, stack.layer, stack.head, stack.i, stack.j, position, heads)
    with st.spinner(t("cause.running")):
        run = _kept().get(key, lambda: _run(subject, stack, position))
    return Seen(now, stack, subject, what, position, run, _token(subject, run), heads)


def position_of(subject: Subject, stack: Stack) -> int:
    """The position whose output is compared: the chosen one, or the one that this page takes by itself."""
    chosen = state.lab("x_at")
    if 0 <= chosen < subject.positions:
        return int(chosen)
    if stack.name == ("decoder", "self") and not any(call.kind == "cross" for call in subject.calls):
        return subject.positions - 1  # what a language model says next
    if stack.name[0] == subject.calls[-1].stream:
        return min(stack.i, subject.positions - 1)
    return 0


def besides(stack: Stack) -> tuple[Intervention, ...]:
    """The heads of the stack that are off as well, whatever is done to the one that is looked at."""
    named = [part.split(".") for part in state.lab("x_off").split(",") if part]
    places = dict.fromkeys((int(layer), int(head)) for layer, head in named)
    there = {call.layer: call.heads for call in stack.calls}
    return tuple(
        Intervention(*stack.name, layer, head) for layer, head in places if head < there.get(layer, 0)
    )


def change_of(stack: Stack, what: What) -> Intervention:
    """A change of the head that is looked at."""
    return Intervention(*stack.name, stack.layer, stack.head, what, stack.i, stack.j)


def _run(subject: Subject, stack: Stack, position: int) -> Run:
    at = None if subject.compared == "vectors" else position
    kept = besides(stack)
    outputs = subject.run([(), kept, *([*kept, change_of(stack, what)] for what in WHATS)], at)
    before, alone, *after = (output.clone() for output in outputs)
    return Run(before, alone, dict(zip(WHATS, after, strict=True)))


def _token(subject: Subject, run: Run) -> int | None:
    """The token that is followed: the chosen one, or the likeliest before."""
    if subject.compared == "vectors":
        return None
    if state.lab("x_token") >= len(run.before):
        state.turn(x_token=-1)
    chosen = int(state.lab("x_token"))
    return chosen if chosen >= 0 else int(torch.argmax(run.before))


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Run]:
    return Kept(RUNS_KEPT)


def token_label(model: Model, token: int, before: Sequence[int]) -> str:
    """The label of a token of the vocabulary that would stand behind `before`; bytes are shown with their character."""
    if isinstance(model, OwnModel):
        return model.tokens([token]).labels[0]
    last = label_tokens(model.encoder, model.encoder.written([*before, token])).pieces[-1]
    if last.part is not None and last.whole is not None and last.part[0] > 1:
        return f"{last.whole} {last.label}"
    return last.label


def plain(label: str) -> str:
    """A token's label in running text, without the glyph of the space before it."""
    return label.lstrip(SPACE) or label
