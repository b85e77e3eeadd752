"""Turns what the follower saw into a recorded call: scale, bias and mask are read off the numbers."""

from __future__ import annotations

import torch
from torch import Tensor

from models import steps
from models.pretrained.follow_graph import Node, Path, path
from models.pretrained.recording import Recorded, owned
from models.pretrained.session import Session

HIDDEN = -5e3  # scores at or below are masked: models add −10,000 or the dtype's minimum
TOLERANCE = 1e-5


def report(session: Session, scores: Tensor, weights: Tensor, node: Node, value: Tensor, out: Tensor) -> None:
    """Tell the session about softmax(`scores`) = `weights`, then `weights` · `value` = `out`.

    scores = scale · q·k + rest: the rest is taken from what entered the softmax, so that ALiBi, relative biases and the
    position terms of DeBERTa and XLNet come out right in whatever order the model adds them.
    """
    dots = node.dots()
    dot = dots[0]
    assert dot.query is not None
    assert dot.key is not None
    way = path(node, dot)
    batch = session.batch
    query, key, values, entered, used = (
        _four(t, batch) for t in (dot.query, dot.key, value, scores, weights)
    )
    if any(t is None for t in (query, key, values, entered, used)):
        return
    assert query is not None and key is not None and values is not None and entered is not None  # noqa: PT018
    if values.shape[2] != key.shape[2] or entered.shape[1:] != (*query.shape[1:3], key.shape[2]):
        return
    products = steps.dot_products(query.float(), key.float()) * way.scale  # B H N M
    visible = ~(entered <= HIDDEN)  # a NaN is not hidden
    known = visible & entered.isfinite() & products.isfinite()
    rest = torch.where(known, entered.float() - products, 0.0)
    bias, worked_out = _bias(rest, way, known, entered, batch)
    call = Recorded(
        session.current,
        session.module(session.current),
        owned(query),
        owned(key),
        owned(values),
        scaling=way.scale,
        mask=None if bool(visible.all()) else visible,
        bias=bias,
        tier=2,
        around=session.surroundings(session.current),
        notes=tuple(_notes(dots, way, worked_out)),
    )
    merged = _four(out, batch)
    session.add(call, None if merged is None else merged.transpose(1, 2))


def _bias(
    rest: Tensor, way: Path, visible: Tensor, entered: Tensor, batch: int
) -> tuple[Tensor | None, bool]:
    """What is added to the scaled scores, and whether it had to be worked out as a difference."""
    size = torch.where(visible, entered.float(), 0.0).abs().max().clamp_min(1.0)
    if bool(rest.abs().max() <= TOLERANCE * size):
        return None, False
    known = _known(way, rest, batch)
    if known is not None and bool(torch.where(visible, known - rest, 0.0).abs().max() <= TOLERANCE * size):
        return known, False
    return rest, True


def _known(way: Path, rest: Tensor, batch: int) -> Tensor | None:
    """The sum of the tensors that the model added, without what hides."""
    total: Tensor | None = None
    for tensor in way.added:
        if tensor.ndim < 3 or (tensor.ndim == 3 and tensor.shape[0] in (1, rest.shape[1])):
            four: Tensor | None = tensor[
                (None,) * (4 - tensor.ndim)
            ]  # the same for all sequences of the batch
        else:
            four = _four(tensor, batch)
        if four is None:
            return None
        finite = four.float().masked_fill(four <= HIDDEN, 0.0)
        try:
            total = finite if total is None else total + finite
            total.expand_as(rest)
        except RuntimeError:  # an order of dimensions that is not known here
            return None
    return total


def _notes(dots: list[Node], way: Path, worked_out: bool) -> list[str]:
    found = ["Found by following tensors: this model does not use the common attention interface."]
    if len(dots) > 1:
        found.append(
            f"{len(dots) - 1} more products with position vectors are summed in the bias (as in DeBERTa and XLNet)."
        )
    elif worked_out:
        found.append("The bias is what entered the softmax less the scaled product q·k.")
    if way.odd:
        found.append(f"Between q·k and softmax the model also does {', '.join(way.odd)}.")
    return found


def _four(tensor: Tensor, batch: int) -> Tensor | None:
    """B × H × N × K from that or from (B·H) × N × K."""
    if tensor.ndim == 3 and batch and tensor.shape[0] % batch == 0:
        return tensor.reshape(batch, -1, *tensor.shape[1:])
    return tensor if tensor.ndim == 4 else None
