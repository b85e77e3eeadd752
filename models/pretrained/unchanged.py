"""A model is after a run what it was before: parts, plain attributes, buffers and configuration are put back.

Some models change themselves while they run. A BigBird that reads a short text exchanges its modules for others, from
sparse to full attention, for good; a recurrent layer keeps its state; a rotary table grows with the longest text. Then
what one text shows would depend on which was read before, and on who read it: one copy serves all sessions.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
from torch import Tensor, nn
from transformers import GenerationConfig, PretrainedConfig

OWN = frozenset(vars(nn.Module())) - {
    "training"
}  # hooks, parameters and parts: whoever adds a hook takes it away
CODE = (FunctionType, MethodType)
LARGEST = (
    16_000_000  # bytes of a tensor that is copied; a larger one that is exchanged is put back all the same
)

_LOG = logging.getLogger(__name__)
_lock = threading.Lock()
_open: WeakKeyDictionary[nn.Module, tuple[int, Snapshot]] = WeakKeyDictionary()
_restless: WeakSet[nn.Module] = WeakSet()
_turns: WeakKeyDictionary[nn.Module, Any] = WeakKeyDictionary()


@dataclass(frozen=True)
class Snapshot:
    """The plain attributes of modules and configurations as they were: path, whose, attributes; copies of tensors."""

    holders: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]
    tensors: tuple[tuple[str, Tensor, Tensor], ...]


def snapshot(model: nn.Module) -> Snapshot:
    """What `restore` puts back. Parameters are exchanged at most, never trained: their numbers are not copied."""
    holders: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
    tensors: dict[int, tuple[str, Tensor, Tensor]] = {}
    known: set[int] = set()

    def keep(path: str, owner: dict[str, Any], skip: frozenset[str] = frozenset()) -> None:
        if id(owner) in known:
            return
        known.add(id(owner))
        plain = {
            name: value for name, value in owner.items() if name not in skip and not isinstance(value, CODE)
        }
        holders.append((path, owner, {name: _copied(value) for name, value in plain.items()}))
        for name, value in plain.items():
            if isinstance(value, Tensor) and not isinstance(value, nn.Parameter) and _small(value):
                tensors.setdefault(id(value), (f"{path}.{name}", value, value.detach().clone()))
            elif isinstance(value, (PretrainedConfig, GenerationConfig)):
                keep(f"{path}.{name}", vars(value))

    for path, module in model.named_modules():
        keep(path, vars(module), OWN)
        for members in (module._buffers, module._modules, module._parameters):
            keep(path, members)
    return Snapshot(tuple(holders), tuple(tensors.values()))


def restore(before: Snapshot) -> tuple[str, ...]:
    """Puts everything back; the names of what had changed."""
    changed: list[str] = []
    for path, owner, values in before.holders:
        skip = OWN if "_parameters" in owner else frozenset()
        new = [
            n
            for n, value in owner.items()
            if n not in values and n not in skip and not isinstance(value, CODE)
        ]
        other = [name for name, value in values.items() if name not in owner or not _same(owner[name], value)]
        for name in new:
            del owner[name]
        for name in other:
            owner[name] = _copied(values[name])
        changed += [f"{path}.{name}".lstrip(".") for name in (*new, *other)]
    with torch.inference_mode():
        for name, tensor, kept in before.tensors:
            both_nan = (tensor != tensor) & (kept != kept)
            if not bool(((tensor == kept) | both_nan).all()):
                tensor.copy_(kept)
                changed.append(name.lstrip("."))
    return tuple(changed)


@contextmanager
def unchanged(model: nn.Module) -> Iterator[None]:
    """Whatever runs inside leaves the model as it was. The first of several threads takes the snapshot and the last
    puts it back; a model that is known to change itself is run by one thread at a time."""
    with _turn(model):
        with _lock:
            users, before = _open.get(model) or (0, snapshot(model))
            _open[model] = (users + 1, before)
        try:
            yield
        finally:
            with _lock:
                users, before = _open[model]
                if users > 1:
                    _open[model] = (users - 1, before)
                else:
                    del _open[model]
                    if changed := restore(before):
                        _restless.add(model)
                        _LOG.info(
                            "%s changed itself, put back: %s", type(model).__name__, ", ".join(changed[:5])
                        )


@contextmanager
def _turn(model: nn.Module) -> Iterator[None]:
    if model not in _restless:
        yield
        return
    with _lock:
        turn = _turns.setdefault(model, threading.RLock())
    with turn:
        yield


def _copied(value: Any) -> Any:
    """Containers are copied all the way down; everything else is kept as the same object."""
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(_copied(item) for item in value)
    return value


def _same(now: Any, before: Any) -> bool:
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if type(now) is dict:
        return now.keys() == before.keys() and all(_same(now[key], before[key]) for key in now)
    if type(now) in (list, tuple):
        return len(now) == len(before) and all(map(_same, now, before))
    return isinstance(now, (set, frozenset, str, bytes, int, float)) and bool(now == before)


def _small(tensor: Tensor) -> bool:
    return tensor.numel() * tensor.element_size() <= LARGEST
