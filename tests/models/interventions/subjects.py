"""Small models of many kinds as subjects of interventions."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from models.interventions.subject import Subject
from models.pretrained.capture import capture_calls
from models.pretrained.own_calls import run
from models.transformer.config import Config
from models.transformer.model import Transformer
from tests.models.pretrained.architectures import build

OWN_KINDS = ("decoder", "encoder", "encoder-decoder")
FAMILIES = ("Llama", "GPT-2", "BERT", "T5", "BART", "ALBERT", "gpt-oss (sinks)", "Gemma 2 (softcap)", "OPT",
            "Qwen3-Next (gated)", "DistilBERT", "Mistral (window)", "GPT-NeoX", "DeepSeek V3 (MLA)",
            "GPTBigCode", "Mixtral", "Laguna (gated)", "Marian")  # fmt: skip


def family(name: str, **changes: Any) -> Subject:
    """A small model of transformers, without a head: its outputs are vectors."""
    model, inputs = build(name, **changes)
    alone = {key: value[:1] for key, value in inputs.items()}
    return Subject(model, alone, capture_calls(model, **alone).calls, "vectors")


def own(kind: str, **sizes: int) -> Subject:
    """A transformer of our own with random weights."""
    sizes = {"vocabulary": 13, "context": 16, "d_model": 16, "heads": 2, "layers": 3, "d_ff": 24, **sizes}
    config = Config(kind=kind, **sizes)  # type: ignore[arg-type]
    model = Transformer(config, seed=3).eval()
    ids, target = torch.tensor([[3, 1, 4, 1, 5, 9, 2]]), torch.tensor([[2, 7, 1, 8]])
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)  # attention that is not even
    inputs: dict[str, Tensor] = {"ids": ids, "target": target} if kind == "encoder-decoder" else {"ids": ids}
    given = target[0].tolist() if "target" in inputs else None
    calls, _ = run(model, ids[0].tolist(), given)
    return Subject(model, inputs, tuple(calls), "here" if kind == "encoder" else "next")


def every(name: str) -> Subject:
    return own(name) if name in OWN_KINDS else family(name)


ROUNDING = 1e-5
"""How far two routes to the same output may be apart (see `gap`): another row of a batch, another batch, another thread
may be computed by another kernel, and float32's 1.2e-7 grows through three layers. A head that is switched off moves
the output by more than 1e-4."""


def gap(a: Tensor, b: Tensor) -> float:
    """The largest difference as a share of the largest value."""
    return float((a - b).abs().max() / b.abs().max().clamp_min(1e-12))
