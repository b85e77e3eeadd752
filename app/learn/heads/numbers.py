"""The numbers of the page about heads: what each head adds to the output, how large every matrix is."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from models.trace import Trace


@dataclass(frozen=True)
class Row:
    """A line of the shape ledger: `name` in mathematical notation, its shape in letters and in numbers."""

    name: str
    step: str
    letters: str
    shape: tuple[int, ...]
    times: int = 1  # how many such matrices there are (one per head)

    @property
    def values(self) -> int:
        product = self.times
        for size in self.shape:
            product *= size
        return product


def head_contributions(trace: Trace, token: int) -> Tensor:
    """What every head adds to the output of one token: z_h · W_O[h], H × D. Their sum is the token's output row."""
    z = trace["head_output"].value[:, token]  # H V
    w_o = trace.parameters["w_o"].reshape(trace.heads, trace.d_v, -1)  # H V D
    return (z.unsqueeze(1) @ w_o).squeeze(1)  # H D


def parameter_count(d_model: int, heads: int, d_k: int, d_v: int) -> int:
    """Numbers in W_Q, W_K (D × H·K each), W_V (D × H·V) and W_O (H·V × D) by the formula."""
    return 2 * d_model * heads * d_k + 2 * d_model * heads * d_v


def counted_parameters(trace: Trace) -> dict[str, int]:
    """The same, counted in the matrices that were used."""
    return {name: trace.parameters[name].numel() for name in ("w_q", "w_k", "w_v", "w_o")}


def ledger(trace: Trace) -> list[Row]:
    """Every matrix between input and output, in the order of the computation."""
    tokens, d_model = trace["input"].value.shape
    heads, d_k, d_v = trace.heads, trace.d_k, trace.d_v
    return [
        Row("X", "input", "N × d_model", (tokens, d_model)),
        Row("W_Q", "w_q", "d_model × h·d_k", (d_model, heads * d_k)),
        Row("W_K", "w_k", "d_model × h·d_k", (d_model, heads * d_k)),
        Row("W_V", "w_v", "d_model × h·d_v", (d_model, heads * d_v)),
        Row("Q", "query", "N × d_k", (tokens, d_k), heads),
        Row("K", "key", "N × d_k", (tokens, d_k), heads),
        Row("V", "value", "N × d_v", (tokens, d_v), heads),
        Row("Q·Kᵀ", "scores", "N × N", (tokens, tokens), heads),
        Row("softmax", "weights", "N × N", (tokens, tokens), heads),
        Row("Z", "head_output", "N × d_v", (tokens, d_v), heads),
        Row("concat", "concat", "N × h·d_v", (tokens, heads * d_v)),
        Row("W_O", "w_o", "h·d_v × d_model", (heads * d_v, d_model)),
        Row("Y", "output", "N × d_model", (tokens, d_model)),
    ]
