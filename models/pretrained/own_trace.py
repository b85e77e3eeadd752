"""All heads of an attention of our own transformers in one trace, for the stage."""

from __future__ import annotations

from dataclasses import replace

from models.attention import MultiHeadAttention
from models.pretrained.call import AttentionCall
from models.trace import Trace


def layer_trace(call: AttentionCall) -> Trace | None:
    """Every step of all heads; None for a call of a model that is not our own, whose steps may be others."""
    module = call.recorded.module
    if not isinstance(module, MultiHeadAttention):
        return None
    sources = {linear.name.rpartition(".")[2]: linear.source[0] for linear in call.recorded.around.linears}
    context = sources["w_k"] if call.kind == "cross" else None
    mask = call.visible()
    trace = module.trace(sources["w_q"], context, mask)
    return replace(trace, query_labels=call.query_labels, key_labels=call.key_labels)
