"""One open capture: hears the attention calls of one forward pass and what the modules around them did."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from models.pretrained import backend, hooks
from models.pretrained.recording import Projected, Recorded, Surroundings, read_call, sample_of
from models.pretrained.unchanged import unchanged

_log = logging.getLogger(__name__)


class Session:
    """Listens to one thread's forward pass of one model; `calls` grows while it runs.

    Everything here is reached through the ContextVar `backend.ACTIVE`, so that threads that share a model never mix.
    """

    def __init__(self, model: nn.Module, batch: int) -> None:
        self.model, self.batch = model, batch  # batch: how many sequences the model is given
        self.names = {id(module): name for name, module in model.named_modules()}
        self.calls: list[Recorded] = []
        self.ran: dict[str, str] = {}  # attention modules that ran: path → class
        self.turns: Counter[str] = Counter()  # how many times each of them began
        self.softmaxes: Counter[tuple[str, int]] = Counter()  # of q·k, by path and turn
        self.current = ""  # the attention module that began last
        self._unreadable: set[str] = set()
        self._linears: list[Projected] = []
        self._norms: list[tuple[str, nn.Module]] = []
        self._rotations: tuple[tuple[Tensor, Tensor], ...] = ()
        # Head outputs that no layer has taken up yet, and the attention module's path.
        self._merged: tuple[str, Surroundings, Tensor] | None = None

    # What the hooks report

    def attention_began(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        name = self.names.get(id(module))
        if name is None:
            return
        self.ran.setdefault(name, type(module).__name__)
        self.turns[name] += 1
        self.current = name
        found = tuple(_rotations((*args, *kwargs.values())))
        if found:
            self._rotations = found

    def linear_began(self, module: nn.Module, source: Tensor) -> None:
        name = self.names.get(id(module))
        if name is None:
            return
        linear = Projected(name, module, source.detach())
        if self._merged is not None:
            attention, around, merged = self._merged
            if _same_numbers(source, merged):
                around.output, around.output_name = module, name
                around.after.clear()
                self._merged = None
            elif _within(name, attention):
                around.after.append(linear)
        self._linears.append(linear)

    def norm_began(self, module: nn.Module) -> None:
        if (name := self.names.get(id(module))) is not None:
            self._norms.append((name, module))

    # What the backend and the follower report

    def heard(
        self,
        module: nn.Module,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        options: dict[str, Any],
        output: Any,
    ) -> None:
        """A call through the attention interface (tier 1)."""
        name = self.names.get(id(module))
        if name is None:
            return
        with self.surviving(name):
            call = read_call(name, module, q, k, v, mask, options, self.surroundings(name))
            self.add(call, output[0] if isinstance(output, tuple) else output)

    @contextmanager
    def surviving(self, name: str) -> Iterator[None]:
        """The model goes on if its attention cannot be read: the module then counts as unseen."""
        try:
            yield
        except Exception:
            if name not in self._unreadable:
                _log.warning("attention of %r could not be read", name, exc_info=True)
            self._unreadable.add(name)

    def surroundings(self, name: str) -> Surroundings:
        """What ran in and around the attention module `name` since the last call."""
        linears = tuple(linear for linear in self._linears if _related(linear.name, name))
        norms = tuple(norm for path, norm in self._norms if _related(path, name))
        owned_here = self.model.get_submodule(name).parameters(recurse=False)
        biases = tuple(parameter.detach() for parameter in owned_here if parameter.ndim <= 2)
        return Surroundings(linears, norms, self._rotations, biases)

    def add(self, call: Recorded, merged: Tensor | None) -> None:
        """Keep a call; `merged` (B × N × H × V) are its head outputs side by side, which W_O will take up; None if
        they cannot be seen."""
        sample = None if merged is None else sample_of(merged)
        self.calls.append(replace(call, sample=sample, turn=self.turns[call.name]))
        self._merged = None if merged is None else (call.name, call.around, merged)
        self._linears.clear()
        self._norms.clear()

    def normalised(self) -> None:
        """Products of queries and keys went through a softmax in the attention module that began last."""
        self.softmaxes[self.current, self.turns[self.current]] += 1

    def module(self, name: str) -> nn.Module | None:
        """The module at a path."""
        return self.model.get_submodule(name)

    @property
    def unseen(self) -> dict[str, str]:
        """Attention modules that ran while no call was heard from them, their parts or their parents."""
        seen = {call.name for call in self.calls}
        return {
            name: kind for name, kind in self.ran.items() if not any(_within(name, other) for other in seen)
        }


@contextmanager
def listening(session: Session) -> Iterator[Session]:
    """Opens the session for this thread. The model is afterwards what it was before."""
    with unchanged(session.model):
        backend.acquire()
        hooks.acquire(session.model)
        token = backend.ACTIVE.set(session)
        try:
            yield session
        finally:
            backend.ACTIVE.reset(token)
            hooks.release(session.model)
            backend.release()


def _within(a: str, b: str) -> bool:
    """Whether one module path is the other or lies inside it."""
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")


def _related(part: str, attention: str) -> bool:
    """Whether a layer belongs to an attention module: inside it, or beside it in the attention module around both."""
    owner = part.rpartition(".")[0]
    return _within(part, attention) or attention.startswith(owner + ".")


def _same_numbers(source: Tensor, merged: Tensor) -> bool:
    """Whether a layer's input is the merged head outputs (B × N × H × V as … × H·V)."""
    if source.numel() != merged.numel() or source.shape[-1] != merged.shape[-1] * merged.shape[-2]:
        return False
    if source.is_contiguous() and merged.is_contiguous() and source.data_ptr() == merged.data_ptr():
        return True
    if source.ndim == 3 and source.shape[:2] != merged.shape[:2]:  # tokens come first
        merged = merged.transpose(0, 1)
    return torch.equal(source.reshape(-1), merged.reshape(-1))


def _rotations(values: tuple[Any, ...]) -> Iterator[tuple[Tensor, Tensor]]:
    """Pairs of equal shape among a module's arguments: its cosines and sines, in whatever order; complex numbers are
    such a pair too (Llama 4), and so are the halves of one table (RoFormer)."""
    for value in values:
        if isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_floating, value)):
            if value[0].shape == value[1].shape:
                yield value[0].detach(), value[1].detach()
        elif isinstance(value, Tensor) and value.is_complex():
            yield value.real.detach(), value.imag.detach()
        elif _floating(value) and value.ndim == 4 and value.shape[:2] == (1, 1) and value.shape[-1] % 2 == 0:
            first, second = value.detach().chunk(2, -1)
            yield first, second


def _floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point() and value.ndim >= 2
