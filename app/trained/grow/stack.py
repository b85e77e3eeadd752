"""The attention of a text that grows: which of it is looked at, and which heads are worth it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from app import choices, state
from app.i18n import t
from app.trained.grow.grow import NEWEST, STRONGEST, Growing
from app.trained.headline import choose_head, stack_name
from app.trained.kept import Kept
from app.trained.stack import Name, Stack, say_axes, say_moved, stack_at, stacks_of
from models.head_roles import call_shares
from models.pretrained import ModelTrace

QUICK = 20_000_000  # weights of all heads that are looked through for kinds of heads
LEAST = 0.1  # a head that does something less than this is no example of it

Best = dict[str, tuple[int, int, float]]  # kind → layer, head, score


def names_of(trace: ModelTrace) -> list[Name]:
    """The stacks that gain a row with every token: those of the decoder."""
    names = stacks_of(trace.calls)
    return [name for name in names if name[0] != "encoder"] or names


def growing_stack(trace: ModelTrace) -> Stack:
    """The stack that is looked at, at the newest row or at the one that was chosen. The state is made to agree."""
    names = names_of(trace)
    view = state.model_view()
    if (view.stream, view.kind) not in names:
        # cross-attention first: there one sees which word of the source is being written
        name = next((name for name in names if name[1] == "cross"), names[0])
        view = replace(view, stream=name[0], kind=name[1])  # type: ignore[arg-type]
    stack = stack_at([call for call in trace.calls if (call.stream, call.kind) in names], view)
    say_moved(stack, view.layer)
    say_axes(stack)
    i, j = _cell(stack)
    stack = replace(stack, i=i, j=j)
    stream, kind = stack.name if len(stacks_of(trace.calls)) > 1 else ("", stack.name[1])
    state.look(stream=stream, kind=kind, layer=stack.layer, head=stack.head)  # the cell is this page's own
    return stack


def _cell(stack: Stack) -> tuple[int, int]:
    """The chosen row and column of the text so far; the newest row and where it looks most if none is chosen."""
    row, col = state.lab("w_row"), state.lab("w_col")
    if row == NEWEST or row >= stack.call.queries:
        row, col = stack.call.queries - 1, STRONGEST
    if not 0 <= col < stack.call.keys:
        weights = stack.call.weights(stack.head, rows=torch.tensor([row]))[0]
        col = int(torch.nan_to_num(weights).argmax())
    return row, col


def show_choice(now: Growing, stack: Stack) -> None:
    """Which attention, layer and head."""
    names = names_of(now.draft.trace)
    with st.container(horizontal=True, vertical_alignment="center", key="choose_head"):
        if len(names) > 1:
            choices.segments(
                t("trained.stack"),
                names,
                stack_name,
                state.field("model_stack"),
                required=True,
                label_visibility="collapsed",
            )
        choose_head(stack)


def show_chips(best: Best) -> None:
    """The best head of every kind; a click looks at it."""

    def label(kind: str) -> str:
        layer, head, score = best[kind]
        return f"{t(f'trained.kind.{kind}')} :gray[L{layer}H{head} {score:.2f}]"

    def look(kind: str | None) -> None:
        if kind is not None:
            layer, head, _ = best[kind]
            state.look(layer=layer, head=head)

    if best:
        with st.container(key="find"):
            chosen = state.marked("grow_kind", look)
            choices.pills(t("trained.find"), best, label, chosen, label_visibility="collapsed")


def best_heads(now: Growing, stack: Stack) -> Best:
    """The best head of every kind, measured on the text so far; looked for again each time the text has doubled, so
    that a step stays cheap."""
    rows = stack.call.queries
    size = len(stack.calls) * stack.most_heads * rows * stack.call.keys
    if size > QUICK:
        return {}
    written = now.draft.written
    since = rows - 2 ** (rows.bit_length() - 1)  # rows that came after the last doubling
    measured = written[: max(0, len(written) - since)]
    key = (now.key, stack.name, measured)
    return _kept().get(key, lambda: _found(now.draft.moved(measured).trace, stack.name))


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Best]:
    return Kept(32)


def _found(trace: ModelTrace, name: Name) -> Best:
    best: Best = {}
    for call in (call for call in trace.calls if (call.stream, call.kind) == name):
        weights = torch.stack([call.weights(head) for head in range(call.heads)])  # H N M
        for kind, scores in call_shares(call, weights, trace.tokens).items():
            score, head = torch.nan_to_num(scores).max(0)
            if float(score) >= max(LEAST, best.get(kind, (0, 0, 0.0))[2]):
                best[kind] = (call.layer, int(head), float(score))
    return best
