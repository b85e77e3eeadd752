"""Tier 1: listens where transformers hands q, k and v to its attention function, and changes what heads put out.

While a capture is open, `AttentionInterface` hands out the very function it would hand out anyway (the model keeps its
backend, its masks and its config), inside a wrapper that tells the open capture of this thread about the call, and
lets the `Change` of this thread replace the head outputs. Threads with neither get the plain function. References are
counted; with the last one the class is as it was.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface

from models.hook import CHANGE, Change

Attend = Callable[..., Any]


class Listener(Protocol):
    """What an open capture offers: see `models.pretrained.session.Session`."""

    def attention_began(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None: ...

    def linear_began(self, module: nn.Module, source: Tensor) -> None: ...

    def norm_began(self, module: nn.Module) -> None: ...

    def heard(
        self,
        module: nn.Module,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        options: dict[str, Any],
        output: Any,
    ) -> None: ...


ACTIVE: ContextVar[Listener | None] = ContextVar("attention_capture", default=None)
_PATCHED = ("get_interface", "__getitem__")
_lock = threading.Lock()
_open = 0
_originals: dict[str, Any] = {}


def acquire() -> None:
    """Begin to listen, or count one more listener."""
    global _open
    with _lock:
        _open += 1
        if _open == 1:
            for name in _PATCHED:
                _originals[name] = AttentionInterface.__dict__.get(name)
                setattr(AttentionInterface, name, _handing_out(getattr(AttentionInterface, name)))


def release() -> None:
    """One listener less; the last one restores the class."""
    global _open
    with _lock:
        _open -= 1
        if _open == 0:
            for name, original in _originals.items():
                if original is None:  # inherited: it was not in the class itself
                    delattr(AttentionInterface, name)
                else:
                    setattr(AttentionInterface, name, original)
            _originals.clear()


def _handing_out(look_up: Attend) -> Attend:
    @functools.wraps(look_up)
    def handed(*args: Any, **kwargs: Any) -> Any:
        function = look_up(*args, **kwargs)
        listener, change = ACTIVE.get(), CHANGE.get()
        return function if listener is None and change is None else _wrapped(function, listener, change)

    return handed


def _wrapped(function: Attend, listener: Listener | None, change: Change | None) -> Attend:
    if getattr(function, "serves", None) == (listener, change):  # get_interface looks up through __getitem__
        return function

    def attend(
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        options = {**dict(zip(("scaling", "dropout"), args, strict=False)), **kwargs}
        options["sdpa"] = getattr(function, "__name__", "").startswith("sdpa")
        with torch._C.DisableTorchFunction():  # what happens inside is known: nothing to follow for tier 2
            output = function(module, query, key, value, attention_mask, *args, **kwargs)
            if change is not None:
                output = _changed(change, module, query, key, value, attention_mask, options, output)
        if listener is not None:
            listener.heard(module, query, key, value, attention_mask, options, output)
        return output

    attend.serves = (listener, change)  # type: ignore[attr-defined]
    return attend


def _changed(
    change: Change,
    module: nn.Module,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    options: dict[str, Any],
    output: Any,
) -> Any:
    """The attention function's output, whose head outputs (B × N × H × V) the change may replace."""
    merged = output[0] if isinstance(output, tuple) else output
    before = merged.transpose(1, 2)  # B H N V
    after = change(module, q, k, v, mask, options, before)
    if after is before:
        return output
    replaced = after.transpose(1, 2)
    return (replaced, *output[1:]) if isinstance(output, tuple) else replaced
