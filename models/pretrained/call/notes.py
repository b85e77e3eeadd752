"""What has to be said about a call, in English sentences."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from models.pretrained.call.call_in_layer import CallInLayer

AGREES = {torch.float32: 1e-4, torch.float64: 1e-4, torch.float16: 2e-2, torch.bfloat16: 8e-2}


def describe(call: CallInLayer, exact: bool) -> Iterator[str]:
    """The notes of a call, most important first; `exact` says whether the model's own outputs are reproduced."""
    yield from call.recorded.notes
    if not exact:
        yield (
            "The head outputs recomputed from q, k and v differ from the model's own by "
            f"{recomputed_difference(call):.1e} of the largest: something in this model's attention is not shown."
        )
    if call.recorded.query.dtype in (torch.float16, torch.bfloat16):
        name = str(call.recorded.query.dtype).removeprefix("torch.")
        yield f"The model computes in {name}: q, k and v are shown as it rounded them, everything after in float32."
    yield from _origins(call)
    if call.kv_heads < call.heads:
        yield (
            f"{call.heads} query heads share {call.kv_heads} key–value heads: head h uses the keys and values of "
            f"head ⌊h·{call.kv_heads}/{call.heads}⌋."
        )
    if call.recorded.window is not None:
        yield f"Sliding window: a query sees {call.recorded.window} positions."
    if call.recorded.sinks is not None:
        yield "Each row gives part of its weight to a sink without a value: its weights sum to less than 1."
    if not call.has_output:
        yield "No linear layer takes up the heads' outputs as they are: what a head adds to the output is not shown."


def _origins(call: CallInLayer) -> Iterator[str]:
    found = {side: call.origin(side) for side in ("query", "key", "value")}
    missing = [side for side, origin in found.items() if origin is None]
    if missing and call.recorded.query.dtype not in (torch.float16, torch.bfloat16):
        yield (
            f"How {_listed(missing)} came from the layer's input could not be reproduced: shown as the model made it."
        )
    deviations = [origin.deviation for origin in found.values() if origin is not None]
    if deviations:
        yield (
            "Projections are recomputed in float64; they differ from the model's own numbers by at most "
            f"{max(deviations):.1e} of the largest."
        )


def recomputed_difference(call: CallInLayer, batch: int = 0) -> float:
    """Largest difference between recomputed head outputs and the rows of the model's own that were kept, relative to
    the largest. Rows in which nothing is visible and rows that are not numbers are left out."""
    if call.recorded.sample is None:
        return 0.0
    rows, kept = call.recorded.sample
    own = kept[batch if len(kept) > 1 else 0].float()  # rows H V
    ours = torch.stack([call.weights(h, batch, rows) @ call.value(h, batch) for h in range(call.heads)], 1)
    if own.shape != ours.shape:
        return torch.inf
    seen = call.visible(0, batch)
    alive = torch.ones(len(rows), dtype=torch.bool) if seen is None else seen[rows].any(-1)
    alive &= own.isfinite().all(-1).all(-1)
    if not bool(alive.any()):
        return 0.0
    return float((own - ours)[alive].abs().max() / own[alive].abs().max().clamp_min(1e-30))


def agrees(call: CallInLayer) -> bool:
    """Whether recomputed and own head outputs are the same to the precision the model computes in."""
    return recomputed_difference(call) <= AGREES.get(call.recorded.query.dtype, 1e-4)


def _listed(names: list[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
