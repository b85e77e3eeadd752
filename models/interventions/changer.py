"""Carries changes out while a model runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from models.errors import InputError
from models.hook import CHANGE
from models.interventions.change import Intervention
from models.interventions.pattern import changed_output
from models.pretrained import backend
from models.pretrained.call import AttentionCall
from models.pretrained.naming import Place
from models.pretrained.recording import read_call

Row = Sequence[Intervention]  # what is changed in one row of a batch
Head = tuple[int, int]  # batch row and head


class Changer:
    """The `hook.Change` of one run. `rows` says what is changed in each row of the batch; `calls` are those of a run
    without changes, which say which module computes which layer.

    Raises InputError: unknown_choice, cause_no_edge, cause_no_head, cause_no_cell, cause_own_attention.
    """

    def __init__(self, calls: Sequence[AttentionCall], rows: Sequence[Row]) -> None:
        self._changes: dict[tuple[int, int], dict[Head, list[Intervention]]] = {}
        for row, changes in enumerate(rows):
            for change in changes:
                at = _turn(calls, find(calls, change))
                heads = self._changes.setdefault(at, defaultdict(list))
                heads[row, change.head].append(change)
        self._turns: Counter[int] = Counter()

    def __call__(
        self,
        module: nn.Module,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        options: Mapping[str, Any],
        output: Tensor,
    ) -> Tensor:
        at = (id(module), self._turns[id(module)])
        self._turns[id(module)] += 1
        if not (heads := self._changes.get(at)):
            return output
        call = AttentionCall(read_call("", module, q, k, v, mask, options), Place("", "", 0))
        changed = output.clone()
        for (row, head), changes in heads.items():
            changed[row, head] = changed_output(call, head, changes, output[row, head], row)
        return changed


@contextmanager
def changing(calls: Sequence[AttentionCall], rows: Sequence[Row]) -> Iterator[None]:
    """Runs of this thread are changed inside this context; the model itself never is."""
    changer = Changer(calls, rows)
    backend.acquire()
    token = CHANGE.set(changer)
    try:
        yield
    finally:
        CHANGE.reset(token)
        backend.release()


def find(calls: Sequence[AttentionCall], change: Intervention) -> AttentionCall:
    """The call that a change is about. Raises InputError where there is none, or none that can be changed."""
    change.checked()
    wanted = (change.stream, change.kind, change.layer)
    for call in calls:
        if (call.stream, call.kind, call.layer) == wanted and 0 <= change.head < call.heads:
            _check_call(call, change)
            return call
    raise InputError(
        "cause_no_head",
        f"There is no head {change.head} in layer {change.layer} ({change.stream}, {change.kind}). Choose a layer and "
        "a head that the model has.",
        layer=change.layer,
        head=change.head,
    )


def _check_call(call: AttentionCall, change: Intervention) -> None:
    if call.tier != 1:
        raise InputError(
            "cause_own_attention",
            f"{call.title} computes attention in its own way, where it can be watched and not changed. Expected: a "
            "model that uses transformers' attention interface, such as Llama, GPT-2 or BERT. Choose another model.",
            name=call.title,
        )
    if change.query is None or change.key is None:
        return
    if not (0 <= change.query < call.queries and 0 <= change.key < call.keys):
        cell, shape = f"({change.query}, {change.key})", f"{call.queries} × {call.keys}"
        raise InputError(
            "cause_no_cell",
            f"There is no cell {cell} in a matrix of {shape}. Choose a cell of the matrix.",
            cell=cell,
            shape=shape,
        )


def _turn(calls: Sequence[AttentionCall], wanted: AttentionCall) -> tuple[int, int]:
    """The module of a call, and how many times it ran before it: ALBERT runs one module for all layers."""
    before = 0
    for call in calls:
        if call is wanted:
            break
        before += call.recorded.module is wanted.recorded.module
    return id(wanted.recorded.module), before
