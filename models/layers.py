"""The layers that are compared with attention, as PyTorch has them, and attention to a neighbourhood only."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from models.cost import Sizes


class RestrictedAttention(nn.Module):
    """Self-attention in which a query sees the keys at most r // 2 positions away (Vaswani et al. 2017, section 4).

    Queries are taken in blocks of r, each with the block's own keys and r // 2 on either side, so that time and memory
    grow with n·r and not with n². x: B × N × D.
    """

    def __init__(self, width: int, neighbourhood: int) -> None:
        super().__init__()
        self.reach, self.block = neighbourhood // 2, max(1, neighbourhood)
        self.project_in = nn.Linear(width, 3 * width)
        self.project_out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        length, width = x.shape[-2:]
        missing = -length % self.block
        query, key, value = self.project_in(pad(x, (0, 0, 0, missing))).chunk(3, -1)  # B N' D
        query = query.unflatten(1, (-1, self.block))  # B blocks R D
        key, value = self._around(key), self._around(value)  # B blocks D R+2·reach
        scores = query @ key / width**0.5  # B blocks R R+2·reach
        weights = scores.masked_fill(~self._mask(length, x.device), -torch.inf).softmax(-1)
        mixed = (weights @ value.transpose(-2, -1)).flatten(1, 2)[:, :length]  # B N D
        return self.project_out(mixed)  # type: ignore[no-any-return]

    def _around(self, x: Tensor) -> Tensor:
        return pad(x, (0, 0, self.reach, self.reach)).unfold(1, self.block + 2 * self.reach, self.block)

    def _mask(self, length: int, device: torch.device) -> Tensor:
        """Blocks × R × (R + 2·reach), True = may look. A query beyond the sentence sees itself: its row is cut off."""
        blocks = -(-length // self.block)
        queries = torch.arange(blocks * self.block, device=device).view(blocks, self.block, 1)
        first = torch.arange(blocks, device=device)[:, None, None] * self.block - self.reach
        keys = first + torch.arange(self.block + 2 * self.reach, device=device)
        near = (queries - keys).abs() <= self.reach
        return near & (keys >= 0) & (keys < length) | (queries == keys)


class SelfAttention(nn.Module):
    """`nn.MultiheadAttention` with one head looking at itself. With `weights` the n × n weights are made and handed
    out; without, PyTorch may take a fused kernel that never has all of them at once. x: B × N × D."""

    def __init__(self, width: int, *, weights: bool) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 1, batch_first=True)
        self.weights = weights

    def forward(self, x: Tensor) -> Tensor:
        output, _ = self.attention(x, x, x, need_weights=self.weights)
        return output  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    """`nn.RNN` or `nn.LSTM`; only the outputs. x: B × N × D. `gain` multiplies the recurrent weights."""

    def __init__(self, width: int, *, gated: bool, gain: float = 1.0) -> None:
        super().__init__()
        self.cells = (nn.LSTM if gated else nn.RNN)(width, width, batch_first=True)
        with torch.no_grad():
            dict(self.cells.named_parameters())["weight_hh_l0"].mul_(gain)

    def forward(self, x: Tensor) -> Tensor:
        output, _ = self.cells(x)
        return output  # type: ignore[no-any-return]


class Convolution(nn.Module):
    """`nn.Conv1d` along the tokens, as many outputs as inputs. x: B × N × D."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(width, width, kernel, padding="same")

    def forward(self, x: Tensor) -> Tensor:
        return self.convolution(x.transpose(1, 2)).transpose(1, 2)  # type: ignore[no-any-return]


MEASURED = ("attention", "fused", "recurrent", "convolutional", "restricted")


def layer(name: str, sizes: Sizes) -> nn.Module:
    """A fresh layer of MEASURED for these sizes, in evaluation mode."""
    makers: dict[str, Callable[[], nn.Module]] = {
        "attention": lambda: SelfAttention(sizes.d, weights=True),
        "fused": lambda: SelfAttention(sizes.d, weights=False),
        "recurrent": lambda: Recurrent(sizes.d, gated=True),
        "convolutional": lambda: Convolution(sizes.d, sizes.k),
        "restricted": lambda: RestrictedAttention(sizes.d, min(sizes.r, sizes.n)),
    }
    return makers[name]().eval()
