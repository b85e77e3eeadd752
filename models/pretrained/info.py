"""What a model is: sizes, heads, how it knows positions, where it comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from torch import nn

from models.pretrained import layer_list, tables
from models.pretrained.capture import CapturedForward
from models.pretrained.naming import Stack

Positions = Literal["rotary", "learned", "sinusoidal", "relative", "alibi", "none", "unknown"]

LIMITS = (
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "max_seq_len",
    "n_ctx",
    "seq_length",
)
_LICENCE = re.compile(r"^license:\s*[\"']?([\w.+-]+)", re.MULTILINE)


@dataclass(frozen=True)
class ModelInfo:
    """Facts about a model, counted in the model itself where that is possible.

    `layers` counts attention layers by stream and kind: {("encoder", "self"): 6, ("decoder", "cross"): 2}, `numbers`
    are the model's own numbers of them; `others` are layers between them without softmax attention (number → class of
    what they have instead), `shared` groups of layers that one attention module computes. `heads`,
    `kv_heads` and `head_dim` are those of the first layer; `ragged` says that other layers differ. `max_positions` is
    None where there is no limit. `dtype` is the checkpoint's, `computed_in` what the model computes in. `licence` is
    None where the folder does not say.
    """

    name: str
    architecture: str
    layers: Mapping[tuple[str, str], int]
    heads: int
    kv_heads: int
    d_model: int
    head_dim: int
    ragged: bool
    positions: Positions
    vocabulary: int
    max_positions: int | None
    parameters: int
    dtype: str
    computed_in: str
    licence: str | None
    source: str
    numbers: Mapping[Stack, tuple[int, ...]] = field(default_factory=dict)
    others: Mapping[Stack, Mapping[int, str]] = field(default_factory=dict)
    shared: Mapping[Stack, tuple[tuple[int, ...], ...]] = field(default_factory=dict)


def describe(
    model: nn.Module,
    captured: CapturedForward,
    *,
    name: str,
    dtype: str,
    licence: str | None,
    source: str,
    vocabulary: int,
    max_positions: int | None,
) -> ModelInfo:
    """Counts layers and heads in the calls of a forward pass, the rest in the model and its configuration."""
    calls = captured.calls
    numbers = layer_list.numbers(calls)
    shapes = {(call.heads, call.kv_heads, call.recorded.query.shape[-1]) for call in calls}
    first = calls[0]
    config: Any = model.config
    text = config.get_text_config()
    width = getattr(text, "hidden_size", None) or getattr(text, "d_model", None) or 0
    return ModelInfo(
        name=name,
        architecture=type(model).__name__,
        layers={stack: len(found) for stack, found in numbers.items()},
        heads=first.heads,
        kv_heads=first.kv_heads,
        d_model=int(width),
        head_dim=first.recorded.query.shape[-1] or int(width) // first.heads,
        ragged=len(shapes) > 1,
        positions=positions_of(model),
        vocabulary=vocabulary,
        max_positions=max_positions,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        dtype=dtype,
        computed_in=str(next(model.parameters()).dtype).removeprefix("torch."),
        licence=licence,
        source=source,
        numbers=numbers,
        others=layer_list.others(model, calls, captured.unseen),
        shared=layer_list.shared(calls),
    )


def positions_of(model: nn.Module) -> Positions:
    """How the model knows where a token stands, from its configuration and modules."""
    config: Any = model.config
    text = config.get_text_config()
    kind = str(getattr(text, "position_embedding_type", "") or "")
    classes = " ".join(type(module).__name__ for module in model.modules())
    if kind == "sinusoidal" or getattr(text, "sinusoidal_pos_embds", False):
        return "sinusoidal"
    if kind == "alibi" or getattr(text, "alibi", False) or text.model_type in {"bloom", "mpt"}:
        return "alibi"
    if _relative(text, kind):
        return "relative"
    if getattr(text, "rope_parameters", None) or "Rotary" in classes or kind == "rotary":
        return "rotary"
    modules = [module for path, module in model.named_modules() if tables.POSITION_MODULE.search(path)]
    if any("Sinusoid" in type(module).__name__ for module in modules):
        return "sinusoidal"
    if modules or any(tables.POSITION_MODULE.search(path) for path, _ in model.named_parameters()):
        return "learned"
    return "unknown"


def _relative(config: Any, kind: str) -> bool:
    buckets = ("relative_attention_num_buckets", "relative_attention", "rel_attn_bias")
    return (
        kind.startswith("relative")
        or config.model_type == "xlnet"
        or any(getattr(config, b, None) for b in buckets)
    )


def position_limit(model: nn.Module) -> int | None:
    """How many tokens the model has positions for; None if any number can be given.

    A table of positions says it better than the configuration, which may have another name for it (LED).
    """
    config: Any = model.config
    text = config.get_text_config()
    limits = [getattr(text, name, None) for name in LIMITS]
    limit = next((int(value) for value in limits if isinstance(value, int) and value > 0), None)
    count = tables.position_count(model)
    if count is None:
        return None if positions_of(model) in ("relative", "alibi") else limit
    return count if limit is None else min(count, limit)


def licence_of(path: Path) -> str | None:
    """As the model card says; None if it says nothing."""
    try:
        with (path / "README.md").open(encoding="utf-8", errors="replace") as card:
            head = card.read(5000)
    except OSError:
        return None
    found = _LICENCE.search(head)
    return found[1] if found else None
