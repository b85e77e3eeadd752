"""What a mask does to one attention: which keys remain, where the weight goes, and what a lost row becomes.

A row is lost when its mask leaves it no key at all. What then comes out is no question of mathematics but of the
implementation; `lost_row` asks several, by calling them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, scaled_dot_product_attention

from models import attention, masks, steps
from models.rounding import distances
from models.trace import Trace

LARGE_NEGATIVE = -1e9  # what many implementations write in place of −∞

Cell = tuple[int, int]


@dataclass(frozen=True)
class MaskChoice:
    """The masks that are combined. `window` and `prefix` are off at 0; `hidden` are positions of padding, `blocked`
    single cells (query, key), `closed` queries that may look at nothing. What lies beyond the sentence is ignored."""

    causal: bool = False
    window: int = 0
    prefix: int = 0
    hidden: tuple[int, ...] = ()
    blocked: Collection[Cell] = frozenset()
    closed: Collection[int] = frozenset()

    def visible(self, tokens: int) -> Tensor:
        """N × N, bool, True = may look: what every chosen mask allows."""
        combined = masks.combine(
            self.patterns(tokens),
            masks.padding(tokens, [i for i in self.hidden if i < tokens]),
            masks.from_predicate(self._open, tokens),
        )
        assert combined is not None
        return combined  # N N

    def patterns(self, tokens: int) -> Tensor | None:
        """The masks that are rules over positions, without padding and single cells."""
        return masks.combine(
            masks.causal(tokens) if self.causal else None,
            masks.sliding_window(tokens, self.window) if self.window else None,
            masks.prefix(tokens, self.prefix) if self.prefix else None,
        )

    def _open(self, i: Tensor, j: Tensor) -> Tensor:
        found = torch.ones(len(i), j.shape[1], dtype=torch.bool)
        for row, column in self.blocked:
            if row < found.shape[0] and column < found.shape[1]:
                found[row, column] = False
        found[[row for row in self.closed if row < found.shape[0]]] = False
        return found


@dataclass(frozen=True)
class Masked:
    """One layer under a mask (N × N, bool): `masked` and `weights` are H × N × N, `output` N × D; `lost` are the rows
    without a visible key, whose weights are 0."""

    mask: Tensor
    masked: Tensor
    weights: Tensor
    output: Tensor
    lost: tuple[int, ...]


def under_mask(trace: Trace, mask: Tensor) -> Masked:
    """The layer of `trace` from its scaled scores on, as if this mask had been given to it. Computed in float64."""
    masked = steps.apply_mask(trace["scaled"].value.double(), mask)  # H N N
    weights = steps.softmax(masked, trace.temperature)  # H N N
    head_output = steps.mix_values(weights, trace["value"].value.double())  # H N V
    output = steps.project_output(steps.concatenate(head_output), trace.parameters["w_o"].double())  # N D
    lost = (~mask.any(-1)).nonzero().flatten().tolist()
    return Masked(mask, masked, weights, output, tuple(lost))


def moved(before: Masked, after: Masked) -> Tensor:
    """How far each output moved, over the rows that both have: the length of the difference, rounding left away (N)."""
    rows = min(len(before.output), len(after.output))
    return distances(before.output[:rows], after.output[:rows])


def lost_row(query: Tensor, key: Tensor, mask: Tensor, row: int) -> dict[str, Tensor]:
    """The weights (M) that each implementation gives to `row`, by name; query N × K, key M × K, mask N × M.

    Those that only hand out an output are given the identity as values: their output then is the weights.
    """
    values = torch.eye(len(key), dtype=query.dtype)
    scaled = query @ key.T / query.shape[-1] ** 0.5
    found: dict[str, Callable[[], Tensor]] = {
        "engine": lambda: attention.scaled_dot_product_attention(query, key, values, mask=mask).weights,
        "infinite": lambda: torch.softmax(scaled.masked_fill(~mask, -torch.inf), -1),
        "large": lambda: torch.softmax(scaled.masked_fill(~mask, LARGE_NEGATIVE), -1),
        "fused": lambda: scaled_dot_product_attention(query, key, values, attn_mask=mask),
        "module": lambda: module_attention(query, key, mask, need_weights=True),
        "module_fast": lambda: module_attention(query, key, mask, need_weights=False),
    }
    return {name: call()[row] for name, call in found.items()}


def kind_of(weights: Tensor) -> str:
    """What a row of weights is: "nan", "zero", "even" (all keys alike), or "other"."""
    if bool(weights.isnan().any()):
        return "nan"
    if not bool(weights.any()):
        return "zero"
    return "even" if torch.allclose(weights, torch.full_like(weights, 1 / len(weights))) else "other"


@torch.no_grad()
def module_attention(query: Tensor, key: Tensor, mask: Tensor, *, need_weights: bool) -> Tensor:
    """The weights (N × M) of `torch.nn.MultiheadAttention` with one head and identity projections.

    Its width must hold the K numbers of a query as well as the M identity values, so vectors are filled up with zeros;
    queries make up for the division by the root of that larger width.
    """
    size, width = query.shape[-1], max(query.shape[-1], len(key))
    module = nn.MultiheadAttention(width, 1, bias=False, batch_first=True, dtype=query.dtype).eval()
    module.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
    module.out_proj.weight.copy_(torch.eye(width))
    filled = pad(query * (width / size) ** 0.5, (0, width - size)), pad(key, (0, width - size))
    values = pad(torch.eye(len(key), dtype=query.dtype), (0, width - len(key)))
    # its boolean mask is the other way round: True = may not look
    output, weights = module(*filled, values, attn_mask=~mask, need_weights=need_weights)
    found: Tensor = weights if need_weights else output[:, : len(key)]
    return found
