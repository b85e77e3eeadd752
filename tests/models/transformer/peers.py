"""PyTorch's own stacks with the weights of ours: what ours is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import torch
from torch import Tensor, nn

from models.attention import MultiHeadAttention
from models.transformer.blocks import Block
from models.transformer.model import Stack, Transformer

Peer = TypeVar("Peer", nn.TransformerEncoder, nn.TransformerDecoder)


def shaken(model: Transformer, seed: int = 0) -> Transformer:
    """All parameters moved a little: norms and biases that are still 1 and 0 would hide mistakes."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
    return model


def encoder_of(model: Transformer, stack: Stack) -> nn.TransformerEncoder:
    """Blocks of self-attention, with a causal mask given also those of a decoder-only model."""
    config = model.config
    layer = nn.TransformerEncoderLayer(
        config.d_model, config.heads, config.d_ff, 0.0, batch_first=True, norm_first=config.norm == "pre"
    )
    norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else None
    peer = nn.TransformerEncoder(layer, config.layers, norm, enable_nested_tensor=False)
    for theirs, ours in zip(peer.layers, blocks_of(stack), strict=True):
        assert isinstance(theirs, nn.TransformerEncoderLayer)
        assert ours.around_feed_forward is not None
        take_attention(theirs.self_attn, ours.self_attention)
        theirs.norm1.load_state_dict(ours.around_self.norm.state_dict())
        theirs.norm2.load_state_dict(ours.around_feed_forward.norm.state_dict())
        take_feed_forward(theirs, ours)
    return finished(peer, stack)


def decoder_of(model: Transformer) -> nn.TransformerDecoder:
    """Blocks of causal self-attention and cross-attention."""
    config, stack = model.config, model.decoder
    assert stack is not None
    layer = nn.TransformerDecoderLayer(
        config.d_model, config.heads, config.d_ff, 0.0, batch_first=True, norm_first=config.norm == "pre"
    )
    norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else None
    peer = nn.TransformerDecoder(layer, config.layers, norm)
    for theirs, ours in zip(peer.layers, blocks_of(stack), strict=True):
        assert isinstance(theirs, nn.TransformerDecoderLayer)
        assert ours.cross_attention is not None
        assert ours.around_cross is not None
        assert ours.around_feed_forward is not None
        take_attention(theirs.self_attn, ours.self_attention)
        take_attention(theirs.multihead_attn, ours.cross_attention)
        theirs.norm1.load_state_dict(ours.around_self.norm.state_dict())
        theirs.norm2.load_state_dict(ours.around_cross.norm.state_dict())
        theirs.norm3.load_state_dict(ours.around_feed_forward.norm.state_dict())
        take_feed_forward(theirs, ours)
    return finished(peer, stack)


def blocks_of(stack: Stack) -> Iterable[Block]:
    for block in stack.blocks:
        assert isinstance(block, Block)
        yield block


@torch.no_grad()
def take_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    """Our weights; theirs has biases, which become 0."""
    theirs.in_proj_weight.copy_(torch.cat([ours.w_q.T, ours.w_k.T, ours.w_v.T]))
    theirs.out_proj.weight.copy_(ours.w_o.T)
    theirs.in_proj_bias.zero_()
    theirs.out_proj.bias.zero_()


def take_feed_forward(theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer, ours: Block) -> None:
    assert ours.feed_forward is not None
    theirs.linear1.load_state_dict(ours.feed_forward.widen.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.narrow.state_dict())


def finished(peer: Peer, stack: Stack) -> Peer:
    if peer.norm is not None:
        peer.norm.load_state_dict(stack.norm.state_dict())
    return peer.to(next(stack.parameters()).dtype)


def causal_float(size: int, dtype: torch.dtype) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(size, dtype=dtype)
