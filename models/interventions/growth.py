"""Many changes in one run: rows join the batch at the layer where they begin to differ.

Below that layer all rows are equal, so one row is computed for all of them: half the work of a run in which every row
is there from the start.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from models.interventions.changer import Row, find
from models.pretrained.call import AttentionCall

BLOCK = re.compile(r"^(.*?\.\d+)\.")  # "model.layers.18" of "model.layers.18.self_attn"

_GROWING: ContextVar[object] = ContextVar("growing", default=None)


@dataclass(frozen=True)
class Plan:
    """`order` are the rows with changes in the order in which they join, `joining` how many join at which block."""

    order: tuple[int, ...]
    joining: Mapping[str, int]

    def batch(self, rows: Sequence[Row]) -> list[Row]:
        """What is changed in each row of the batch that has grown: the first row changes nothing."""
        return [(), *(rows[row] for row in self.order)]

    def back(self, output: Tensor, count: int) -> Tensor:
        """The outputs of the batch in the order of the `count` rows that were asked for."""
        places = [0] * count
        for place, row in enumerate(self.order):
            places[row] = place + 1
        return output[places]


def plan(calls: Sequence[AttentionCall], rows: Sequence[Row]) -> Plan | None:
    """Where each row joins; None for models of several stacks and those that run one block more than once."""
    blocks = [found[1] if (found := BLOCK.match(call.name)) else "" for call in calls]
    if (
        len({(call.stream, call.kind) for call in calls}) > 1
        or "" in blocks
        or len(set(blocks)) < len(blocks)
    ):
        return None
    index = {id(call): place for place, call in enumerate(calls)}
    starts = {
        row: min(index[id(find(calls, change))] for change in changes)
        for row, changes in enumerate(rows)
        if changes
    }
    order = sorted(starts, key=starts.__getitem__)
    return Plan(tuple(order), Counter(blocks[starts[row]] for row in order))


@contextmanager
def growing(model: nn.Module, joining: Mapping[str, int]) -> Iterator[None]:
    """Inside this context the batch of this thread's run grows by copies of its first row."""
    mine = object()

    def join(count: int) -> Any:
        def hook(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
            if _GROWING.get() is not mine or kwargs is None:  # another thread is running the same model
                return None
            return _joined(args, kwargs, count)

        return hook

    with ExitStack() as handles:
        for path, count in joining.items():
            hook = model.get_submodule(path).register_forward_pre_hook(join(count), with_kwargs=True)
            handles.callback(hook.remove)
        token = _GROWING.set(mine)
        try:
            yield
        finally:
            _GROWING.reset(token)


def _joined(
    args: tuple[Any, ...], kwargs: dict[str, Any], count: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A block's arguments with more rows of what goes through it: its first argument (B × N × D)."""
    if args:
        return (_grown(args[0], count), *args[1:]), kwargs
    return args, {**kwargs, "hidden_states": _grown(kwargs["hidden_states"], count)}


def _grown(hidden: Tensor, count: int) -> Tensor:
    return torch.cat((hidden, hidden[:1].expand(count, *hidden.shape[1:])))
