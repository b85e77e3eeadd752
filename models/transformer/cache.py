"""What a decoder need not compute again while it writes: the keys and values of what it has read (the "KV cache").

A later token changes nothing about the earlier ones, because no query sees a later key. So their keys and values are
kept, and only the new token's row is computed. Letters: B batch, H heads, N new tokens, M all tokens, D d_model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

KeysValues = tuple[Tensor, Tensor]  # both B × H × M × K


@dataclass
class BlockCache:
    """Of one block: keys and values of the tokens read so far, and of what the encoder made of the source."""

    own: KeysValues | None = None
    source: KeysValues | None = None

    def grow(self, new: KeysValues) -> KeysValues:
        """Keys and values of everything, with those of the new tokens behind the old. Tensors are made anew: whoever
        holds an older cache keeps what it had."""
        if self.own is not None:
            key, value = self.own
            new = torch.cat((key, new[0]), -2), torch.cat((value, new[1]), -2)  # B H M K
        self.own = new
        return new


@dataclass(frozen=True)
class Cache:
    """One `BlockCache` per block of the decoder. `length` tokens have been read; `memory` (B × M × D) is the encoder's
    output, `visible` says which of it is no padding."""

    blocks: tuple[BlockCache, ...]
    length: int = 0
    memory: Tensor | None = None
    visible: Tensor | None = None

    def copied(self) -> Cache:
        """A cache that may grow while this one stays."""
        return replace(self, blocks=tuple(replace(block) for block in self.blocks))

    def cropped(self, length: int) -> Cache:
        """As it was when `length` tokens had been read. Nothing is copied."""
        if not 0 <= length <= self.length:
            raise ValueError(f"a length from 0 to {self.length} was expected, received {length}")
        return replace(self, blocks=tuple(_cropped(block, length) for block in self.blocks), length=length)

    def mask(self, new: int) -> Tensor:
        """N × M, True where one of `new` tokens behind those read may look: nowhere later (Vaswani et al. 2017)."""
        return visible_behind(self.length, new)


def visible_behind(length: int, new: int) -> Tensor:
    """N × M, bool: the last `new` rows of the causal mask of length + new tokens."""
    rows = torch.arange(length, length + new)[:, None]
    return torch.arange(length + new)[None, :] <= rows  # N M


def _cropped(block: BlockCache, length: int) -> BlockCache:
    if block.own is None or length == 0:
        return replace(block, own=None)
    key, value = block.own
    return replace(block, own=(key[..., :length, :], value[..., :length, :]))


def empty(blocks: int, sources: Sequence[KeysValues] = ()) -> tuple[BlockCache, ...]:
    """Caches of blocks that have read nothing; `sources` are keys and values of the encoder's output per block."""
    return tuple(BlockCache(source=sources[at] if sources else None) for at in range(blocks))
