"""Hooks on the modules of a model, shared by all captures that are open on it.

Every hook asks for the capture of its own thread first: another thread may be running the same model.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from transformers.pytorch_utils import Conv1D

from models.pretrained import backend

ATTENTION = re.compile(r"attention|attn|mha", re.IGNORECASE)
LINEAR = (nn.Linear, Conv1D)

_lock = threading.Lock()
_installed: WeakKeyDictionary[nn.Module, tuple[int, list[RemovableHandle]]] = WeakKeyDictionary()


def acquire(model: nn.Module) -> None:
    """Install the hooks, or count one more user of them."""
    with _lock:
        users, handles = _installed.get(model, (0, []))
        if users == 0:
            handles = list(_install(model))
        _installed[model] = (users + 1, handles)


def release(model: nn.Module) -> None:
    """One user less; the last one removes the hooks."""
    with _lock:
        users, handles = _installed[model]
        if users > 1:
            _installed[model] = (users - 1, handles)
            return
        for handle in handles:
            handle.remove()
        del _installed[model]


def is_attention(module: nn.Module) -> bool:
    """Whether a module's class is called attention of some kind."""
    return ATTENTION.search(type(module).__name__) is not None


def is_linear(module: nn.Module) -> bool:
    """Whether a module computes x·W + b and nothing else: a subclass with more parameters, such as an adapter, does
    not."""
    return isinstance(module, LINEAR) and {name for name, _ in module.named_parameters()} <= {
        "weight",
        "bias",
    }


def _install(model: nn.Module) -> Iterator[RemovableHandle]:
    inside: set[str] = set()  # paths of attention modules; named_modules lists parents first
    for name, module in model.named_modules():
        if any(name.startswith(path + ".") for path in inside):
            if is_linear(module):
                yield module.register_forward_pre_hook(_linear)
            elif "Norm" in type(module).__name__:
                yield module.register_forward_pre_hook(_norm)
        if is_attention(module) and not is_linear(module):
            inside.add(name)
            yield module.register_forward_pre_hook(_attention, with_kwargs=True)


def _attention(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if (session := backend.ACTIVE.get()) is not None:
        session.attention_began(module, args, kwargs)


def _linear(module: nn.Module, args: tuple[Any, ...]) -> None:
    if (session := backend.ACTIVE.get()) is not None and args and isinstance(args[0], Tensor):
        session.linear_began(module, args[0])


def _norm(module: nn.Module, _: tuple[Any, ...]) -> None:
    if (session := backend.ACTIVE.get()) is not None:
        session.norm_began(module)
