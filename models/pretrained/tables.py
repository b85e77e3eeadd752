"""What a tokenizer gives is held against the tables that the model has for it: tokens, types of tokens, positions."""

from __future__ import annotations

import re
from typing import Any

from torch import Tensor, nn

from models.pretrained.problems import problem

POSITION_MODULE = re.compile(
    r"(^|\.)(position_embeddings?|embed_positions?|wpe|position_embed|pos_embed\w*)$"
)
TYPE_MODULE = re.compile(r"(^|\.)(token_type|segment)_embeddings?$")


def fitted(model: nn.Module, inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs without types that the model has no vectors for: it then reads every token as of its first type, as
    models with one type do. Raises InputError model_tokenizer_differs for a token without a vector."""
    types, size = inputs.get("token_type_ids"), type_count(model)
    if isinstance(types, Tensor) and size is not None and int(types.max()) >= size:
        inputs = {name: value for name, value in inputs.items() if name != "token_type_ids"}
    for name, holder in (("input_ids", model), ("decoder_input_ids", _decoder(model))):
        ids, known = inputs.get(name), token_count(holder)
        if isinstance(ids, Tensor) and ids.numel() and known is not None and int(ids.max()) >= known:
            raise problem("model_tokenizer_differs", token=int(ids.max()), vocabulary=known)
    return inputs


def type_count(model: nn.Module) -> int | None:
    """How many types of tokens (first and second sentence) the model has vectors for; None without such a table."""
    tables = (module for path, module in model.named_modules() if TYPE_MODULE.search(path))
    return next((table.num_embeddings for table in tables if isinstance(table, nn.Embedding)), None)


def token_count(module: Any) -> int | None:
    """How many tokens a model, or its decoder, has vectors for; None where it has no table."""
    try:
        return int(module.get_input_embeddings().weight.shape[0])
    except (NotImplementedError, AttributeError):
        return None


def position_count(model: nn.Module) -> int | None:
    """How many positions the smallest table of positions has vectors for; None without such a table.

    RoBERTa and its family count positions from padding_idx + 1 on, BART and OPT from an `offset`: the rows before are
    never used.
    """
    counts = [
        module.num_embeddings - _unused(module)
        for path, module in model.named_modules()
        if isinstance(module, nn.Embedding) and POSITION_MODULE.search(path)
    ]
    return min(counts, default=None)


def _unused(table: nn.Embedding) -> int:
    offset = getattr(table, "offset", None)
    if isinstance(offset, int):
        return offset
    padding = table.padding_idx if type(table) is nn.Embedding else None
    return 0 if padding is None else padding + 1


def _decoder(model: Any) -> Any:
    """The part that reads `decoder_input_ids`; None for a model without one."""
    found = getattr(getattr(model, "model", model), "decoder", None)
    return found if isinstance(found, nn.Module) else None
