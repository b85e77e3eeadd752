"""The measures of what heads do: formulas, and where they come from.

    shares       mean over queries i of  Σ_j∈T(i) w_ij
                 (previous, next, itself, earlier, first, induction, separator)
    diagonal     max over d of the mean over i of  Σ_|j−c(i)−d|≤1 w_ij
    distance     mean over i of  Σ_j p_ij · |i − j|              in tokens
    entropy      mean over i of  −Σ_j p_ij · log2 p_ij           in bits
    evenness     mean over i of  the same ÷ log2 K(i)            from 0 (one key) to 1 (all K(i) keys alike)

w are a head's weights, T(i) the keys that a share is about (`Places.targets`), K(i) how many keys query i may look at,
p_ij = w_ij / Σ_j w_ij (rows of models with attention sinks sum to less than 1). Only queries that may look at two keys
or more count, and in a share only those that have such a key.

- previous, next, separator: Clark et al. 2019, "What Does BERT Look At?", sections 3.1 and 3.2
- first: Xiao et al. 2024, "Efficient Streaming Language Models with Attention Sinks"
- earlier ("duplicate token heads"): Wang et al. 2023, "Interpretability in the Wild"
- induction: Olsson et al. 2022, "In-context Learning and Induction Heads" ("prefix matching")
- diagonal: Voita et al. 2019, "Analyzing Multi-Head Self-Attention" (positional heads), with a tolerance
  of one token; between two texts c(i) is the straight line from the first pair of tokens to the last
- distance, entropy: Vig and Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from models.head_roles.places import Places

WIDTHS = ("entropy", "evenness")
TARGETED = (
    1_000_000  # cells of the matrix that are summed together: the targets of that many take about 30 MB
)
NARROW = 1  # tokens beside the best diagonal that count as on it


@dataclass
class Tally:
    """Sums over queries: of one text, or of several that are added up.

    `sums` has for every measure one number per head (H, float64), `counts` over how many queries it goes.
    """

    sums: dict[str, Tensor] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count the queries of another text as well."""
        for name, sums in other.sums.items():
            self.sums[name] = self.sums[name] + sums if name in self.sums else sums
            self.counts[name] = self.counts.get(name, 0) + other.counts[name]


def joined(parts: Sequence[Tally]) -> Tally:
    """The tallies of several heads at the same places as one."""
    names = parts[0].sums
    return Tally({name: torch.cat([part.sums[name] for part in parts]) for name in names}, parts[0].counts)


def tally(weights: Tensor, places: Places) -> Tally:
    """Every measure of weights H × N × M that makes sense at these places, summed over the queries that count.

    Raises ValueError if weights and places are of different sizes.
    """
    found = share_tally(weights, places)
    if bool(places.choosing.any()):
        _add_diagonal(found, weights, places)
        _add_widths(found, weights, places)
    return found


def rest_tally(weights: Tensor, places: Places) -> Tally:
    """As `tally`, of the attention that does not go to the first token: w are weights made to sum to 1 without it.

    In many models the first token is a sink for attention that is not needed, and hides what a head does besides.
    "first" stays a share of all attention.
    """
    rest = weights.clone()
    rest[..., 0] = 0
    rest /= rest.sum(-1, keepdim=True).clamp(min=torch.finfo(rest.dtype).tiny)
    found = tally(rest, places.without_first)
    whole = share_tally(weights, places)
    if "first" in whole.sums:
        found.sums["first"], found.counts["first"] = whole.sums["first"], whole.counts["first"]
    return found


def share_tally(weights: Tensor, places: Places) -> Tally:
    """As `tally`, of the shares alone."""
    if tuple(weights.shape[-2:]) != (places.queries, places.keys):
        expected = f"{places.queries} × {places.keys}"
        raise ValueError(f"expected weights of {expected} tokens, received {tuple(weights.shape)}")
    counts = {name: count for name, count in places.counts.items() if count}
    sums = weights.new_zeros(len(weights), len(counts), dtype=torch.float64)  # H T
    rows = max(1, TARGETED // places.keys)
    for start in range(0, places.queries if counts else 0, rows):
        block = slice(start, start + rows)
        targets = torch.stack([places.targets[name][block].flatten() for name in counts])  # T R·M
        sums += weights[:, block].flatten(1) @ targets.to(weights).T
    return Tally(dict(zip(counts, sums.T, strict=True)), counts)


def even_weights(places: Places) -> Tensor:
    """N × M: the weights of a head that looks at all keys alike, to compare with."""
    seen = places.seen.float()
    return seen / seen.sum(-1, keepdim=True).clamp(min=1)


def _add_diagonal(found: Tally, weights: Tensor, places: Places) -> None:
    """Sums along all diagonals at once; a diagonal that leaves the matrix has nothing there."""
    queries, keys = weights.shape[-2:]
    rows, columns = torch.arange(queries), torch.arange(keys)
    line = rows if not places.cross else (rows.double() * ((keys - 1) / max(1, queries - 1))).round().long()
    place = (columns[None, :] - line[:, None] + queries + keys)[places.rows].flatten()  # R·M, which diagonal
    sums = weights.new_zeros(len(weights), 2 * (queries + keys))
    sums.index_add_(1, place, weights[:, places.rows].flatten(1))
    band = torch.nn.functional.pad(sums, (NARROW, NARROW)).unfold(1, 2 * NARROW + 1, 1).sum(-1)
    found.sums["diagonal"] = band.amax(-1).double()
    found.counts["diagonal"] = int(places.choosing.sum())


def _add_widths(found: Tally, weights: Tensor, places: Places) -> None:
    shares = weights[:, places.rows]  # H R M
    shares = shares / shares.sum(-1, keepdim=True).clamp(min=torch.finfo(shares.dtype).tiny)
    bits = torch.special.entr(shares).sum(-1) / torch.log(torch.tensor(2.0))  # H R
    most = torch.log2(places.seen[places.rows].sum(-1).float())  # R
    found.sums["entropy"] = bits.sum(-1).double()
    found.sums["evenness"] = (bits / most).sum(-1).double()
    found.counts |= dict.fromkeys(WIDTHS, bits.shape[-1])
    if not places.cross:
        rows = torch.arange(places.queries)[places.rows]
        apart = (rows[:, None] - torch.arange(places.keys)[None, :]).abs()  # R M
        found.sums["distance"] = (shares.flatten(1) @ apart.flatten().to(shares)).double()
        found.counts["distance"] = bits.shape[-1]
