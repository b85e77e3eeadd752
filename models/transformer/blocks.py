"""The blocks of a transformer: attention and feed-forward layers, each with a residual connection and a layer norm.

Letters at the end of a line are the shape it makes: B batch, N queries, M keys, D d_model. Source: Vaswani et al. 2017,
section 3.1 and 3.3; Xiong et al. 2020 for the norm before the sublayer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn
from torch.nn.utils import skip_init

from models.attention import MultiHeadAttention
from models.transformer.cache import BlockCache
from models.transformer.config import Config

EPSILON = 1e-5  # of the layer norm, as in torch


@dataclass(frozen=True)
class Attended:
    """What went into one attention: `kind` is "self" or "cross", `x` … N × D and `context` … M × D are as they entered
    the projections (None: x itself), `mask` is True where a query may look."""

    kind: str
    module: MultiHeadAttention
    x: Tensor
    context: Tensor | None
    mask: Tensor | None


Layer = TypeVar("Layer", nn.Linear, nn.Embedding)
Heard = Callable[[Attended], object]


def blank(kind: type[Layer], *sizes: int, **options: bool) -> Layer:
    """A layer whose weights are still to be drawn: its own way would use torch's global random state."""
    return skip_init(kind, *sizes, **options)  # type: ignore[no-any-return, no-untyped-call]


class FeedForward(nn.Module):
    """max(0, x·W₁ + b₁)·W₂ + b₂, for every position by itself (section 3.3)."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.widen, self.narrow = blank(nn.Linear, d_model, d_ff), blank(nn.Linear, d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.narrow(self.widen(x).relu())  # type: ignore[no-any-return]


class Residual(nn.Module):
    """x + f(norm(x)) with the norm before, norm(x + f(x)) with the norm after."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.norm = nn.LayerNorm(config.d_model, EPSILON)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.pre:
            return x + sublayer(self.norm(x))  # … N D
        return self.norm(x + sublayer(x))  # type: ignore[no-any-return]  # … N D


class Block(nn.Module):
    """Self-attention, then cross-attention if `cross`, then the feed-forward layer if the config has one."""

    def __init__(self, config: Config, seed: int, *, cross: bool = False) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.heads, seed=seed)
        self.around_self = Residual(config)
        self.cross_attention = self.around_cross = None
        if cross:
            self.cross_attention = MultiHeadAttention(config.d_model, config.heads, seed=seed + 1)
            self.around_cross = Residual(config)
        self.feed_forward = self.around_feed_forward = None
        if config.d_ff:
            self.feed_forward = FeedForward(config.d_model, config.d_ff)
            self.around_feed_forward = Residual(config)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        heard: Heard | None = None,
        cache: BlockCache | None = None,
    ) -> Tensor:
        """x: B × N × D, `memory` (what the encoder made): B × M × D. Masks are True where a query may look and
        broadcast to B × H × N × M. `heard` is told of every attention before it is computed. With a `cache`, x stands
        behind the tokens whose keys and values are in it, and is added to it."""

        def attend_self(y: Tensor) -> Tensor:
            if heard is not None:
                heard(Attended("self", self.self_attention, y, None, mask))
            if cache is None:
                return self.self_attention(y, mask=mask)  # type: ignore[no-any-return]
            return self.self_attention.look(y, *cache.grow(self.self_attention.keys_values(y)), mask)

        def attend_memory(y: Tensor) -> Tensor:
            assert self.cross_attention is not None
            if heard is not None:
                heard(Attended("cross", self.cross_attention, y, memory, memory_mask))
            if cache is not None and cache.source is not None:
                return self.cross_attention.look(y, *cache.source, memory_mask)
            return self.cross_attention(y, memory, memory_mask)  # type: ignore[no-any-return]

        x = self.around_self(x, attend_self)  # B N D
        if self.around_cross is not None:
            x = self.around_cross(x, attend_memory)  # B N D
        if self.around_feed_forward is not None and self.feed_forward is not None:
            x = self.around_feed_forward(x, self.feed_forward)  # B N D
        return x
