"""One way of getting at a model's attention, in a process of its own: `python -m benchmarks.capture_peak captured`.

Prints as JSON how many bytes of tensors the result keeps alive, and by how much the process grew at most.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import Tensor
from transformers import PreTrainedModel

from benchmarks.alive import bytes_alive
from benchmarks.random_models import LONGEST, bert, random_ids
from models.pretrained.capture import capture_calls

_STATUS = Path("/proc/self/status")


def captured(model: PreTrainedModel, ids: Tensor) -> Any:
    return capture_calls(model, input_ids=ids).calls


@torch.inference_mode()
def plain(model: PreTrainedModel, ids: Tensor) -> Any:
    model(input_ids=ids)


@torch.inference_mode()
def attentions(model: PreTrainedModel, ids: Tensor) -> Any:
    return model(input_ids=ids, output_attentions=True).attentions


# What runs, and the attention backend it needs.
WAYS: dict[str, tuple[Callable[[PreTrainedModel, Tensor], Any], str]] = {
    "captured": (captured, "sdpa"),
    "plain": (plain, "sdpa"),
    "attentions": (attentions, "eager"),
}


def measure(way: str) -> dict[str, int | None]:
    """Bytes of tensors that are `kept`, and of the process's `peak` above what it had before (None without /proc)."""
    torch.set_num_threads(1)
    run, backend = WAYS[way]
    model = bert(backend)
    run(model, random_ids(8))  # what is imported and set up at the first run does not count
    before = psutil.Process().memory_info().rss
    kept = run(model, random_ids(LONGEST))
    most = peak()
    return {"kept": bytes_alive(kept, model), "peak": None if most is None else most - before}


def peak() -> int | None:
    """The most memory this program has had, in bytes. (`getrusage` would count the program that started it, too.)"""
    try:
        lines = _STATUS.read_text("ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
