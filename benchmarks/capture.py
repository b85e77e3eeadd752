"""Catching the attention of a model: time against the plain forward pass, memory against `output_attentions=True`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from benchmarks.random_models import HEADS, LAYERS, LONGEST, WIDE, bert, llama, random_ids
from benchmarks.report import Cell, Row, Section
from benchmarks.timing import Timing, interleaved
from models.pretrained.capture import capture_calls
from scripts.live import ROOT

MODELS: dict[str, Callable[[], PreTrainedModel]] = {"BERT": bert, "Llama": llama}
REPEATS = {128: 12, 1024: 4}
TIME_AIM, MEMORY_AIM = 1.1, "¼"
MEGABYTE = 10**6
SIZE = f"{LAYERS} × {HEADS} heads, d = {WIDE}, float32"

_TIMES = {
    "model": "",
    "tokens": "d",
    "plain ms": ".0f",
    "captured ms": ".0f",
    "×": ".3f",
    "×, medians": ".3f",
}
_MEMORY = {"MB": "", "plain": ".0f", "capture": ".1f", "output_attentions": ".1f", "ratio": ".4f"}


def run() -> list[Section]:
    """Measure on one thread, as the app computes. Raises AssertionError if capturing changes a model's output."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        times = [row for name, make in MODELS.items() for row in _times(name, make())]
    finally:
        torch.set_num_threads(threads)
    return [
        Section(f"Capture against the plain forward pass on SDPA ({SIZE})", _TIMES, times, _TIME_NOTES),
        Section(f"Memory of a capture, BERT, {LONGEST:,} tokens ({SIZE})", _MEMORY, _memory(), _MEMORY_NOTES),
    ]


def _times(name: str, model: PreTrainedModel) -> list[Row]:
    rows: list[Row] = []
    for tokens, repeats in REPEATS.items():
        ids = random_ids(tokens)
        same_output(model, ids)
        found = interleaved(_ways(model, ids), repeats)
        rows.append({"model": name, "tokens": tokens, **_ratios(found["plain"], found["captured"])})
    return rows


def _ways(model: PreTrainedModel, ids: Tensor) -> dict[str, Callable[[], object]]:
    return {"plain": lambda: plain(model, ids), "captured": lambda: capture_calls(model, input_ids=ids)}


def _ratios(bare: Timing, captured: Timing) -> dict[str, Cell]:
    return {
        "plain ms": 1000 * bare.least,
        "captured ms": 1000 * captured.least,
        "×": captured.least / bare.least,
        "×, medians": captured.median / bare.median,
    }


@torch.inference_mode()
def plain(model: PreTrainedModel, ids: Tensor) -> Any:
    """The model as anyone would run it."""
    return model(input_ids=ids)


def same_output(model: PreTrainedModel, ids: Tensor) -> None:
    """Raises AssertionError unless a captured run gives the very same bits, and a call of every layer."""
    captured = capture_calls(model, input_ids=ids)
    if not torch.equal(captured.output.last_hidden_state, plain(model, ids).last_hidden_state):
        raise AssertionError(f"{type(model).__name__}: capturing changed the output")
    if len(captured.calls) != model.config.num_hidden_layers or captured.tier != 1:
        raise AssertionError(f"{type(model).__name__}: {len(captured.calls)} calls at tier {captured.tier}")


def _memory() -> list[Row]:
    bare, ours, theirs = (measured(way) for way in ("plain", "captured", "attentions"))
    names = {"kept": "tensors kept", "peak": "peak of the process above the model"}
    return [_bytes_row(label, bare[name], ours[name], theirs[name]) for name, label in names.items()]


def _bytes_row(label: str, bare: int | None, ours: int | None, theirs: int | None) -> Row:
    return {
        "MB": label,
        "plain": None if bare is None else bare / MEGABYTE,
        "capture": None if ours is None else ours / MEGABYTE,
        "output_attentions": None if theirs is None else theirs / MEGABYTE,
        "ratio": ours / theirs if ours is not None and theirs else None,
    }


def measured(way: str) -> dict[str, int | None]:
    """What `benchmarks.capture_peak` measures, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.capture_peak", way]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, int | None] = json.loads(printed.splitlines()[-1])
    return found


_TIME_NOTES = (
    f"Smallest processor time of {min(REPEATS.values())} to {max(REPEATS.values())} repeats in turns, one thread.",
    f"Aim: at most {TIME_AIM} ×. Before the clock starts, the output is bit-identical and every layer is caught.",
)
_MEMORY_NOTES = (
    f"Aim: at most {MEMORY_AIM} of the tensors. A capture keeps q, k, v and the layer's input, so that every step from",
    "there can be shown; that grows with the tokens, weights grow with their square. The model's own parameters do not",
    "count. Weights come from the eager backend: SDPA gives none. plain: a run that keeps nothing.",
)
