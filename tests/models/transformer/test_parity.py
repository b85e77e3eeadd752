"""The same weights in PyTorch's layers give the same numbers."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from models.transformer.config import Config, Kind, Norm
from models.transformer.model import Transformer
from tests.models.transformer.peers import causal_float, decoder_of, encoder_of, shaken

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])
LAYERS = pytest.mark.parametrize("layers", [1, 3])


def model_of(kind: Kind, norm: Norm, layers: int, dtype: torch.dtype) -> Transformer:
    config = Config(kind, vocabulary=13, context=12, d_model=24, heads=4, layers=layers, d_ff=40, norm=norm)
    return shaken(Transformer(config, seed=layers)).to(dtype)


def ids(rows: int, length: int, seed: int = 0) -> Tensor:
    return torch.randint(13, (rows, length), generator=torch.Generator().manual_seed(seed))


def assert_same(ours: Tensor, theirs: Tensor) -> None:
    """Relative to the size of the numbers in the row: single ones may be near 0 by chance."""
    limit = TOLERANCE[ours.dtype] * theirs.abs().amax(-1, keepdim=True).clamp_min(1)
    assert ours.shape == theirs.shape
    assert bool(((ours - theirs).abs() <= limit).all())


@DTYPES
@NORMS
@LAYERS
def test_encoder(norm: Norm, layers: int, dtype: torch.dtype) -> None:
    model = model_of("encoder", norm, layers, dtype)
    assert model.encoder is not None
    peer, text = encoder_of(model, model.encoder), ids(3, 9)
    padded = torch.zeros(3, 9, dtype=torch.bool)
    padded[1, 6:] = padded[2, 2:] = True
    assert_same(model(text), model.predict(peer(model.embedding(text))))
    theirs = peer(model.embedding(text), src_key_padding_mask=padded)
    assert_same(model(text, padded=padded)[~padded], model.predict(theirs)[~padded])


@DTYPES
@NORMS
@LAYERS
def test_decoder_alone(norm: Norm, layers: int, dtype: torch.dtype) -> None:
    model = model_of("decoder", norm, layers, dtype)
    assert model.decoder is not None
    peer, text = encoder_of(model, model.decoder), ids(3, 9)
    theirs = peer(model.embedding(text), mask=causal_float(9, dtype), is_causal=True)
    assert_same(model(text), model.predict(theirs))


@DTYPES
@NORMS
@LAYERS
def test_encoder_and_decoder(norm: Norm, layers: int, dtype: torch.dtype) -> None:
    model = model_of("encoder-decoder", norm, layers, dtype)
    assert model.encoder is not None
    source, target = ids(3, 9), ids(3, 5, seed=1)
    padded = torch.zeros(3, 9, dtype=torch.bool)
    padded[1, 6:] = padded[2, 2:] = True
    memory = encoder_of(model, model.encoder)(model.embedding(source), src_key_padding_mask=padded)
    theirs = decoder_of(model)(
        model.embedding(target),
        memory,
        tgt_mask=causal_float(5, dtype),
        tgt_is_causal=True,
        memory_key_padding_mask=padded,
    )
    assert_same(model(source, target, padded=padded), model.predict(theirs))


@NORMS
def test_gradients(norm: Norm) -> None:
    """The same gradient reaches the weights, those of W_Q in the lowest layer included."""
    model = model_of("decoder", norm, 2, torch.float64)
    assert model.decoder is not None
    peer, text = encoder_of(model, model.decoder), ids(2, 7)
    model(text).square().sum().backward()
    ours = model.decoder.blocks[0].self_attention.w_q.grad  # type: ignore[union-attr]
    theirs = peer(model.embedding(text).detach(), mask=causal_float(7, torch.float64), is_causal=True)
    model.predict(theirs).square().sum().backward()
    grad = peer.layers[0].self_attn.in_proj_weight.grad  # type: ignore[union-attr]
    torch.testing.assert_close(ours.T, grad[:24], rtol=1e-9, atol=1e-9)  # type: ignore[index, union-attr]
