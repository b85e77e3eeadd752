"""Which function of `models` computed a step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from models import steps
from models.embedding import embed
from models.positions import sinusoidal
from models.tokenizer import tokenize

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tokens": tokenize,
    "embedding": embed,
    "position": sinusoidal,
    "input": steps.add_positions,
    "query": steps.project,
    "key": steps.project,
    "value": steps.project,
    "scores": steps.dot_products,
    "scaled": steps.scale_scores,
    "biased": steps.add_bias,
    "masked": steps.apply_mask,
    "weights": steps.softmax,
    "head_output": steps.mix_values,
    "concat": steps.concatenate,
    "output": steps.project_output,
}


def source(step_name: str) -> str:
    """The source text of the very function that computes a step. Raises KeyError for an unknown step."""
    return inspect.getsource(FUNCTIONS[step_name]).rstrip()


def source_file(step_name: str) -> str:
    """The file, from the project's root, in which that function stands. Raises KeyError for an unknown step."""
    return FUNCTIONS[step_name].__module__.replace(".", "/") + ".py"
