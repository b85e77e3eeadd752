"""Attention, one function per step, in plain tensor operations.

Letters at the end of a line are the shape it makes: B batch, H heads, N queries, M keys, D d_model, K d_k, V d_v. Every
function takes any leading (batch) dimensions and float32 or float64. Source: Vaswani et al. 2017, section 3.2.
"""

from __future__ import annotations

import torch
from torch import Tensor


def add_positions(embedding: Tensor, position: Tensor) -> Tensor:
    """X = E + P, cell by cell."""
    return embedding + position  # N D


def project(x: Tensor, weight: Tensor, heads: int) -> Tensor:
    """X·W, cut into heads: head h owns columns h·K … (h+1)·K of W (D × H·K)."""
    flat = x @ weight  # … N HK
    return flat.reshape(*flat.shape[:-1], heads, -1).transpose(-3, -2)  # … H N K


def dot_products(query: Tensor, key: Tensor) -> Tensor:
    """Q·Kᵀ: every query meets every key, in one matrix product."""
    return query @ key.transpose(-2, -1)  # … N M


def scale_scores(scores: Tensor, scale: float) -> Tensor:
    """Scores × scale, where scale is 1/√d_k: keeps their spread near 1 whatever d_k is (section 3.2.1)."""
    return scores * scale  # … N M


def add_bias(scaled: Tensor, bias: Tensor) -> Tensor:
    """Scores + bias, for schemes that put positions into the scores."""
    return scaled + bias  # … N M


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    """−∞ where a key may not be seen (mask False); softmax turns it into exactly 0."""
    return scores.masked_fill(~mask, -torch.inf)  # … N M


def softmax(masked: Tensor, temperature: float = 1.0) -> Tensor:
    """e^((s − max)/T) divided by its sum, row by row; a row without a visible key becomes 0.

    The row's maximum is subtracted first: the result is the same, and nothing overflows.
    """
    largest = masked.amax(-1, keepdim=True)  # … N 1
    largest = largest.masked_fill(largest == -torch.inf, 0.0)  # nothing visible: e^(−∞ − 0) = 0
    exponentials = ((masked - largest) / temperature).exp()  # … N M
    total = exponentials.sum(-1, keepdim=True)  # … N 1
    return exponentials / total.masked_fill(total == 0, 1.0)  # … N M


def mix_values(weights: Tensor, value: Tensor) -> Tensor:
    """weights·V: every row is a weighted sum of the value vectors."""
    return weights @ value  # … N V


def concatenate(head_output: Tensor) -> Tensor:
    """The heads' outputs side by side: H × N × V becomes N × (H·V)."""
    return head_output.transpose(-3, -2).flatten(-2)  # … N HV


def project_output(concat: Tensor, weight: Tensor) -> Tensor:
    """concat·W_O: mixes what the heads found back into the model's width."""
    return concat @ weight  # … N D
