"""Scaled dot-product and multi-head attention, written out step by step.

The functions of `models.steps` do the arithmetic; this module puts them in order: once for computing and training
(`scaled_dot_product_attention`, `MultiHeadAttention.forward`), once for looking (`MultiHeadAttention.trace`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models import steps
from models.embedding import seeded_matrix
from models.errors import InputError
from models.hook import CHANGE
from models.recorder import Origin, record_attention
from models.tokenizer import Tokens
from models.trace import Trace


@dataclass(frozen=True)
class Attention:
    """Every intermediate of one attention: `scores`, `scaled`, `biased`, `masked`, `weights` (… N × M), `output`
    (… N × V) and `empty_rows` (… N, bool): rows in which no key is visible, whose weights and output are 0."""

    scores: Tensor
    scaled: Tensor
    biased: Tensor
    masked: Tensor
    weights: Tensor
    output: Tensor
    empty_rows: Tensor


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
) -> Attention:
    """softmax(Q·Kᵀ × scale + bias)·V with all that lies between (Vaswani et al. 2017, equation 1).

    q: … N × K, k: … M × K, v: … M × V; leading dimensions broadcast. `mask` is boolean (True = may look) or, as in
    torch, a float that is added, where values at or near the dtype's minimum mean "hidden". `scale` is 1/√K unless
    given; softmax divides by `temperature`. Raises ValueError for shapes that do not fit.
    """
    _check_shapes(q, k, v, temperature)
    mask, bias = _split_float_mask(mask, bias)
    scores = steps.dot_products(q, k)  # … N M
    scaled = steps.scale_scores(scores, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)  # … N M
    biased = scaled if bias is None else steps.add_bias(scaled, bias)  # … N M
    masked = biased if mask is None else steps.apply_mask(biased, mask)  # … N M
    weights = steps.softmax(masked, temperature)  # … N M
    empty_rows = (masked == -torch.inf).all(-1)  # … N
    return Attention(scores, scaled, biased, masked, weights, steps.mix_values(weights, v), empty_rows)


def _check_shapes(q: Tensor, k: Tensor, v: Tensor, temperature: float) -> None:
    if min(q.ndim, k.ndim, v.ndim) < 2 or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(
            "q (… N × K), k (… M × K) and v (… M × V) were expected, "
            f"received {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        )
    if not temperature > 0:
        raise ValueError(f"a temperature above 0 was expected, received {temperature}")


def _split_float_mask(mask: Tensor | None, bias: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """A float mask says two things at once: which keys are hidden, and what is added to the visible ones."""
    if mask is None or mask.dtype == torch.bool:
        return mask, bias
    visible = mask > torch.finfo(mask.dtype).min / 2
    added = mask.masked_fill(~visible, 0.0)
    return visible, added if bias is None else bias + added


class MultiHeadAttention(nn.Module):
    """Multi-head attention without biases (Vaswani et al. 2017, section 3.2.2).

    Parameters: `w_q`, `w_k` (D × H·K), `w_v` (D × H·V), `w_o` (H·V × D); head h owns columns h·K … (h+1)·K. d_k and
    d_v are d_model / heads unless given. Weights are drawn from `seed` with a spread that keeps queries near unit
    size, rounded to a few decimals, so that what is printed is what is multiplied.
    Raises InputError if d_model cannot be divided by heads and d_k or d_v is not given.
    """

    def __init__(
        self, d_model: int, heads: int, *, d_k: int | None = None, d_v: int | None = None, seed: int = 0
    ) -> None:
        super().__init__()
        if min(d_model, heads, d_k or 1, d_v or 1) < 1:
            raise ValueError(
                f"sizes of at least 1 were expected, received {d_model=}, {heads=}, {d_k=}, {d_v=}"
            )
        self.d_model, self.heads, self.seed = d_model, heads, seed
        self.d_k = head_size(d_model, heads) if d_k is None else d_k
        self.d_v = head_size(d_model, heads) if d_v is None else d_v
        self.w_q = nn.Parameter(self.initial("w_q"))  # D HK
        self.w_k = nn.Parameter(self.initial("w_k"))  # D HK
        self.w_v = nn.Parameter(self.initial("w_v"))  # D HV
        self.w_o = nn.Parameter(self.initial("w_o"))  # HV D

    def initial(self, name: str, seed: int | None = None) -> Tensor:
        """The starting values of a parameter for a seed (this module's own unless given)."""
        rows, columns, gain = {
            "w_q": (self.d_model, self.heads * self.d_k, 1.3),
            "w_k": (self.d_model, self.heads * self.d_k, 1.3),
            "w_v": (self.d_model, self.heads * self.d_v, 1.3),
            "w_o": (self.heads * self.d_v, self.d_model, 1.0),
        }[name]
        std = gain / math.sqrt(rows)
        return seeded_matrix(rows, columns, seed=self.seed if seed is None else seed, name=name, std=std)

    def forward(self, x: Tensor, context: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """x (… N × D) attends to itself or to `context` (… M × D); returns … N × D.

        `mask` (True = may look) broadcasts to … H × N × M; give a batch of masks its head dimension (B × 1 × N × M).
        """
        return self.look(x, *self.keys_values(x if context is None else context), mask)

    def keys_values(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The keys (… H × M × K) and values (… H × M × V) of `source` (… M × D)."""
        return steps.project(source, self.w_k, self.heads), steps.project(source, self.w_v, self.heads)

    def look(self, x: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """x (… N × D) attends to keys and values that are known already; returns … N × D."""
        q = steps.project(x, self.w_q, self.heads)  # … H N K
        output = _mixed(q, key, value, mask)  # … H N V
        if (change := CHANGE.get()) is not None:
            output = change(self, q, key, value, mask, {}, output)
        return steps.project_output(steps.concatenate(output), self.w_o)  # … N D

    @torch.no_grad()
    def trace(
        self,
        x: Tensor,
        context: Tensor | None = None,
        mask: Tensor | None = None,
        tokens: Tokens | None = None,
        *,
        context_tokens: Tokens | None = None,
        embedding: Tensor | None = None,
        position: Tensor | None = None,
        padded: Tensor | None = None,
        temperature: float = 1.0,
        exact: bool = True,
    ) -> Trace:
        """Every step of one sequence x (N × D), looking at itself or at `context` (M × D).

        `embedding` and `position` (N × D) are recorded as the steps that x came from, `padded` (M, bool) as what the
        mask hides as padding. With `exact` every sum is computed in float64 from the recorded numbers before it and
        rounded once, so that each cell can be recomputed from what is shown; without it the arithmetic stays in x's
        own dtype: faster for large sizes, and off in the last digits where terms cancel.
        """
        parameters = {name: p.detach() for name, p in self.named_parameters()}
        return record_attention(
            x,
            parameters,
            self.heads,
            context=context,
            mask=mask,
            padded=padded,
            temperature=temperature,
            exact=exact,
            origin=Origin(tokens, context_tokens, embedding, position),
        )


def _mixed(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """The output of `scaled_dot_product_attention` alone. torch computes the same without keeping what lies between:
    a third of a training step is saved. (A NaN or ∞ behind the mask does reach torch's result; in the steps it does
    not.) Where a float mask is given, its hidden keys have to be told apart first."""
    if mask is None or mask.dtype == torch.bool:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # … N V
    return scaled_dot_product_attention(q, k, v, mask=mask).output  # … N V


def head_size(d_model: int, heads: int) -> int:
    """d_model / heads. Raises InputError if that is not a whole number."""
    if d_model % heads:
        fitting = [h for h in range(1, d_model + 1) if d_model % h == 0 and h <= 16]
        raise InputError(
            "heads_do_not_divide",
            f"d_model = {d_model} cannot be split evenly over {heads} heads. Expected: a number of heads that divides "
            f"{d_model} ({', '.join(map(str, fitting))}), or d_k and d_v given. Change heads or d_model, or set both.",
            d_model=d_model,
            heads=heads,
            fitting=", ".join(map(str, fitting)),
        )
    return d_model // heads
