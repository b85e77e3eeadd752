"""What a configuration asks for, counted before any of it is built.

`from_pretrained` builds the model that config.json describes and looks at the weights afterwards: a `hidden_size` of
20,000 beside a file with one number takes all memory. So the numbers in config.json are held against the tensors in the
files first, which bounds the lists that transformers makes of them; then the model is built on the meta device, where
a tensor has a shape and no memory, and the building ends at the first parameter too many.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module

from models.pretrained.folder import ModelFolder
from models.pretrained.problems import problem

DEEPEST = 50  # levels of a configuration
HARMLESS = 100_000  # a list of so many layers is made in no time, whatever the files hold
FURTHEST = 10**8  # positions, samples, ids: ten times those of the model that has most
SLACK = 4  # tied weights are built once for every place where they stand: embedding, two halves, output
SPARE_NUMBERS = 2_000_000  # beyond those of the files: heads that a checkpoint does not have
SPARE_PARTS = 5_000
SPARE_BYTES = 256_000_000  # of buffers: masks and tables of positions
PARTS_PER_TENSOR = 20

_POSITIONS = re.compile(r"position|length|seq|ctx|context|window|chunk|sampl|offset|_index$|_ids?$")
_NO_SIZE = re.compile(
    r"theta|base|param|flops|tokens_seen|total|seed|version|timestamp|(^|_)value$|std|scale|factor"
)
_NEVER_NEGATIVE = re.compile(r"(hidden_size|vocab_size|intermediate_size|d_model|d_ff|layers|heads|n_embd)$")


def check_numbers(folder: ModelFolder) -> None:
    """Raises InputError model_config_demand for a number in config.json that nothing in the files has room for, and
    model_config_broken for sizes below 0 and for a configuration that is nested too deeply."""
    most = max(HARMLESS, folder.largest, folder.tensors)
    for name, value, depth in _numbers(folder.config):
        if depth > DEEPEST:
            raise problem(
                "model_config_broken", folder=str(folder.path), detail=f"{name}: > {DEEPEST} levels"
            )
        if value < 0 and _NEVER_NEGATIVE.search(name):
            raise problem("model_config_broken", folder=str(folder.path), detail=f"{name} = {value}")
        if _NO_SIZE.search(name):
            continue
        if abs(value) > (max(FURTHEST, most) if _POSITIONS.search(name) else most):
            raise _too_much(folder, f"{name} = {value:.3g}" if value > 10**15 else f"{name} = {value:,}")


def _numbers(config: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Every whole number of a configuration with its name and its depth; without recursion, for a configuration may be
    nested more deeply than Python can follow."""
    waiting: list[tuple[str, Any, int]] = [("", config, 0)]
    while waiting:
        name, value, depth = waiting.pop()
        if depth > DEEPEST:
            yield name, 0, depth
        elif isinstance(value, dict):
            waiting += [(str(key), inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(name, inner, depth + 1) for inner in value]
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, value, depth


def count(cls: Any, config: Any, folder: ModelFolder) -> None:
    """Builds the model on the meta device and throws it away. Raises InputError model_config_demand at the first
    parameter, buffer or part that the files cannot account for.

    Not for two threads at once: transformers replaces functions of torch while it builds.
    """
    with ExitStack() as stack:
        stack.enter_context(_counting(folder))
        for context in cls.get_init_context(torch.float32, False, False, None):
            stack.enter_context(context)
        cls(config)


@contextmanager
def _counting(folder: ModelFolder) -> Iterator[None]:
    """Counts what this thread registers in modules. The hooks are torch's own, and hold for all threads."""
    thread = threading.get_ident()
    left = {
        "numbers": SLACK * folder.numbers + SPARE_NUMBERS,
        "bytes": SLACK * folder.bytes + SPARE_BYTES,
        "parts": PARTS_PER_TENSOR * folder.tensors + SPARE_PARTS,
    }

    def take(what: str, amount: int, part: nn.Module, name: str, shape: tuple[int, ...] = ()) -> None:
        left[what] -= amount
        if left[what] < 0:
            size = " × ".join(f"{length:,}" for length in shape)
            raise _too_much(folder, f"{type(part).__name__}.{name} {size}".strip())

    def parameter(part: nn.Module, name: str, value: Tensor | None) -> None:
        if value is not None and threading.get_ident() == thread:
            take("numbers", value.numel(), part, name, tuple(value.shape))
            take("parts", 1, part, name)

    def buffer(part: nn.Module, name: str, value: Tensor | None) -> None:
        if value is not None and threading.get_ident() == thread:
            take("bytes", value.numel() * value.element_size(), part, name, tuple(value.shape))

    def module(part: nn.Module, name: str, value: nn.Module | None) -> None:
        if value is not None and threading.get_ident() == thread:
            take("parts", 1, part, name)

    hooks = (
        torch_module.register_module_parameter_registration_hook(parameter),
        torch_module.register_module_buffer_registration_hook(buffer),
        torch_module.register_module_module_registration_hook(module),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _too_much(folder: ModelFolder, detail: str) -> Exception:
    return problem(
        "model_config_demand",
        folder=str(folder.path),
        detail=detail,
        numbers=folder.numbers,
        tensors=folder.tensors,
    )
