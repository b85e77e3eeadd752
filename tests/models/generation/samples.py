"""Small models of every kind that writes, and the comparison of a grown text with one full run."""

from __future__ import annotations

import string
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers as hf

from models.generation import Draft, Rule
from models.pretrained import PretrainedModel, load_model
from models.pretrained.call import AttentionCall
from models.pretrained.own import OwnModel
from models.training.tasks import TASKS
from models.transformer.model import Transformer
from tests.models.pretrained import folders
from tests.models.pretrained.folders import SIZES, SPECIAL, save, seeded

GROUPED = {**SIZES, **SPECIAL, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64}
GPT = {"vocab_size": 400, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, **SPECIAL}
TINY = {
    "llama": lambda: folders.llama(),
    "gpt2": lambda: seeded(hf.GPT2LMHeadModel, hf.GPT2Config(**GPT)),
    "mistral": lambda: seeded(hf.MistralForCausalLM, hf.MistralConfig(**GROUPED, sliding_window=4)),
    "gemma2": lambda: seeded(
        hf.Gemma2ForCausalLM, hf.Gemma2Config(**GROUPED, query_pre_attn_scalar=8, sliding_window=4)
    ),
    "gpt-oss": lambda: seeded(
        hf.GptOssForCausalLM,
        hf.GptOssConfig(**GROUPED, num_local_experts=2, num_experts_per_tok=1, sliding_window=4),
    ),
}
WITHOUT_CACHE = {"bloom": folders.bloom}
TRANSLATORS = {"marian": (folders.marian, "metaspace"), "t5": (folders.t5, "metaspace")}


def tiny(name: str, folder: Path) -> PretrainedModel:
    """A small random model called `name`, loaded from a folder."""
    if name in TRANSLATORS:
        make, scheme = TRANSLATORS[name]
        return load_model(save(folder, make(), scheme))
    return load_model(save(folder, {**TINY, **WITHOUT_CACHE}[name]()))


@cache
def own(name: str) -> OwnModel:
    """An untrained model of ours for a task."""
    task = TASKS[name]
    return OwnModel(Transformer(task.config, seed=4), task, name=name, source="a test")


def grown(draft: Draft, count: int, rule: Rule | None = None) -> Draft:
    """The draft with more tokens, never an end."""
    chosen = rule or Rule()
    for _ in range(count):
        longer = draft.next(chosen)
        draft = (
            longer
            if not longer.ended
            else draft.write(next(i for i in range(5, 60) if i not in draft.writer.ends))
        )
    return draft


def furthest(found: AttentionCall, expected: AttentionCall) -> float:
    """The largest difference between the weights of two calls, over all heads."""
    assert (found.stream, found.kind, found.layer) == (expected.stream, expected.kind, expected.layer)
    assert (found.heads, found.queries, found.keys) == (expected.heads, expected.queries, expected.keys)
    return max(
        float((found.weights(head) - expected.weights(head)).abs().max()) for head in range(found.heads)
    )


@torch.inference_mode()
def full_logits(model: Any, **inputs: list[int]) -> torch.Tensor:
    """A: after one run over everything."""
    tensors = {name: torch.tensor([ids]) for name, ids in inputs.items()}
    found: torch.Tensor = model.module(**tensors).logits[0, -1].float()
    return found


LETTERS = string.ascii_lowercase
