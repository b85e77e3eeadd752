"""The attentions of a transformer of our own as attention calls, so that views of trained models work on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from models import steps
from models.attention import scaled_dot_product_attention
from models.pretrained.call import AttentionCall
from models.pretrained.naming import Place
from models.pretrained.recording import Projected, Recorded, Surroundings, sample_of
from models.transformer.blocks import Attended
from models.transformer.model import Transformer


@torch.no_grad()
def run(
    model: Transformer, ids: Sequence[int], target: Sequence[int] | None = None
) -> tuple[list[AttentionCall], Tensor]:
    """The calls of one sequence in the order they ran, and the logits (N × A)."""
    heard: list[Attended] = []
    given = None if target is None else torch.tensor([target])
    logits = model(torch.tensor([ids]), given, heard=heard.append)[0]
    calls = []
    for place, attended in zip(model.places(), heard, strict=True):
        name = f"{place.stream}.blocks.{place.layer}.{place.kind}_attention"
        calls.append(AttentionCall(recorded(attended, name), Place(place.stream, place.kind, place.layer)))
    return calls, logits


def recorded(attended: Attended, name: str) -> Recorded:
    """What went into one attention, as its numbers entered the dot product."""
    module, x = attended.module, attended.x
    context = x if attended.context is None else attended.context
    weights = dict(module.named_parameters())
    query, key, value = (
        steps.project(source, weights[w], module.heads)
        for source, w in ((x, "w_q"), (context, "w_k"), (context, "w_v"))
    )
    output = scaled_dot_product_attention(query, key, value, mask=attended.mask).output  # B H N V
    return Recorded(
        name,
        module,
        query,
        key,
        value,
        scaling=module.d_k**-0.5,
        mask=attended.mask,
        around=_surroundings(name, weights, {"w_q": x, "w_k": context, "w_v": context}),
        sample=sample_of(output.transpose(1, 2)),
    )


def _surroundings(name: str, weights: Mapping[str, Tensor], sources: Mapping[str, Tensor]) -> Surroundings:
    """W_Q, W_K, W_V and W_O as the linear layers that they would be in another model."""
    linears = tuple(Projected(f"{name}.{w}", _linear(weights[w]), source) for w, source in sources.items())
    return Surroundings(linears, output=_linear(weights["w_o"]), output_name=f"{name}.w_o")


def _linear(weight: Tensor) -> nn.Linear:
    """A layer that multiplies with `weight` (in × out) from the right; it shares the memory."""
    rows, columns = weight.shape
    layer = nn.Linear(rows, columns, bias=False, device="meta")
    layer.weight = nn.Parameter(weight.detach().T, requires_grad=False)
    return layer
