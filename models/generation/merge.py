"""Attention that was caught row by row while a text grew, put together as if it had been caught at once.

With a KV cache every step computes one query; keys and values are those of everything read. So the whole is: all
queries one under the other, the last keys and values, and the causal mask. Letters: B batch, H heads, N rows, M keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from models.pretrained.recording import Projected, Recorded, Surroundings

Rotations = tuple[tuple[Tensor, Tensor], ...]
SAMPLES = 8  # rows of the model's own head outputs that are kept of a whole


def without_keys(call: Recorded) -> Recorded:
    """The piece without its keys and values: the next one has them too, and only the last are needed."""
    return replace(call, key=call.key[:, :, :0], value=call.value[:, :, :0])


def merged(pieces: Sequence[Recorded], key: Tensor, value: Tensor, *, grows: bool = True) -> Recorded:
    """One call from its pieces, in order, and the keys and values (B × Hkv × M × …) of the last. With `grows` the keys
    are the rows themselves (self-attention), else those of another text."""
    first, last = pieces[0], pieces[-1]
    counts = [piece.query.shape[2] for piece in pieces]
    mask = _mask(pieces, counts, key.shape[2]) if grows else last.mask
    return replace(
        last,
        query=torch.cat([piece.query for piece in pieces], 2),
        key=key,
        value=value,
        mask=mask,
        causal=grows and mask is None and sum(counts) > 1,
        around=_around([piece.around for piece in pieces], counts),
        sample=_samples(pieces, counts),
        sinks=first.sinks,
    )


def first_rows(call: Recorded, count: int, *, grows: bool = True) -> Recorded:
    """The call as it was when only `count` rows had been read. Nothing is copied."""
    keys = count if grows else call.key.shape[2]
    around = call.around
    total = call.query.shape[2]
    sample = call.sample
    if sample is not None:
        kept = sample[0] < count
        sample = sample[0][kept], sample[1][:, kept]
    return replace(
        call,
        query=call.query[:, :, :count],
        key=call.key[:, :, :keys],
        value=call.value[:, :, :keys],
        mask=None if call.mask is None else call.mask[..., :count, :keys] if grows else call.mask,
        causal=call.causal and count > 1,
        around=replace(
            around,
            linears=tuple(_first_of(linear, total, count) for linear in around.linears),
            after=[_first_of(linear, total, count) for linear in around.after],
            rotations=tuple((cos[..., :count, :], sin[..., :count, :]) if _per_row(cos, total) else (cos, sin)
                            for cos, sin in around.rotations),
        ),
        sample=sample,
    )  # fmt: skip


def _first_of(linear: Projected, total: int, count: int) -> Projected:
    return replace(linear, source=linear.source[..., :count, :]) if _per_row(linear.source, total) else linear


def _per_row(tensor: Tensor, rows: int) -> bool:
    """Whether a tensor (… × rows × width) has one vector per row of the call."""
    return tensor.ndim >= 2 and tensor.shape[-2] == rows


def _mask(pieces: Sequence[Recorded], counts: Sequence[int], keys: int) -> Tensor | None:
    """1 × 1 × N × M (or per head) where pieces have masks of their own; None where causality says it all."""
    if all(piece.mask is None for piece in pieces):
        return None
    rows, seen = [], 0
    for piece, count in zip(pieces, counts, strict=True):
        rows.append(_rows_of_mask(piece, seen, count, keys))
        seen += count
    if any(part.is_floating_point() for part in rows):
        rows = [_as_float(part) for part in rows]
    heads = max(part.shape[1] for part in rows)
    return torch.cat([part.expand(-1, heads, -1, -1) for part in rows], 2)


def _rows_of_mask(piece: Recorded, before: int, count: int, keys: int) -> Tensor:
    """A piece's rows of the mask (1 × H or 1 × count × M); keys that came later are hidden."""
    if piece.mask is None:
        places = torch.arange(before, before + count)[:, None]
        return (torch.arange(keys)[None, :] <= places)[None, None]
    mask = piece.mask.detach()
    mask = mask.reshape((1,) * (4 - mask.ndim) + tuple(mask.shape))[..., : before + count]
    mask = mask.expand(-1, -1, count, -1)
    hidden = torch.finfo(mask.dtype).min if mask.is_floating_point() else False
    return torch.nn.functional.pad(mask, (0, keys - mask.shape[-1]), value=hidden)


def _as_float(mask: Tensor) -> Tensor:
    if mask.is_floating_point():
        return mask.float()
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)


def _around(parts: Sequence[Surroundings], counts: Sequence[int]) -> Surroundings:
    """The surroundings of the whole: what went into the linear layers and the angles of all rows."""
    first = parts[0]
    return replace(
        first,
        linears=_linears([part.linears for part in parts], counts),
        after=list(_linears([part.after for part in parts], counts)),
        rotations=_rotations([part.rotations for part in parts], counts),
    )


def _linears(parts: Sequence[Sequence[Projected]], counts: Sequence[int]) -> tuple[Projected, ...]:
    """Layers that ran in every piece, with all their rows; one that ran in the first alone (the keys of a source that
    does not change) as it was. What went into several layers (W_Q, W_K, W_V) is joined once."""
    found = []
    joined: dict[tuple[object, ...], Tensor] = {}
    for at, linear in enumerate(parts[0]):
        same = [part[at] for part in parts if at < len(part) and part[at].name == linear.name]
        others = [layer for part in parts[1:] for layer in part if layer.name == linear.name]
        sources = [layer.source for layer in same]
        if len(same) == len(parts) and all(map(_per_row, sources, counts)):
            whole = tuple((source.data_ptr(), source.shape) for source in sources)
            if whole not in joined:
                joined[whole] = torch.cat(sources, -2)
            found.append(replace(linear, source=joined[whole]))
        elif not others:
            found.append(linear)
    return tuple(found)


def _rotations(parts: Sequence[Rotations], counts: Sequence[int]) -> Rotations:
    """Tables with a row per token are joined with their like in the other pieces, others are the same for all. What has
    no like (a mask that was taken for a table) is left out."""
    found = []
    for first in parts[0]:
        like = [next((pair for pair in part if _alike(pair[0], first[0])), None) for part in parts]
        pairs = [pair for pair in like if pair is not None]
        if len(pairs) < len(parts):
            continue
        joined = all(_per_row(cos, count) for (cos, _), count in zip(pairs, counts, strict=True))
        found.append(_joined(pairs) if joined else first)
    return tuple(found)


def _alike(a: Tensor, b: Tensor) -> bool:
    """Whether two tables differ in their number of rows at most."""
    return a.ndim == b.ndim and a.shape[:-2] == b.shape[:-2] and a.shape[-1] == b.shape[-1]


def _joined(pairs: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    return torch.cat([cos for cos, _ in pairs], -2), torch.cat([sin for _, sin in pairs], -2)


def _samples(pieces: Sequence[Recorded], counts: Sequence[int]) -> tuple[Tensor, Tensor] | None:
    """Some of the kept rows, the last among them."""
    rows, outputs, before = [], [], 0
    for piece, count in zip(pieces, counts, strict=True):
        if piece.sample is None:
            return None
        rows.append(piece.sample[0] + before)
        outputs.append(piece.sample[1])
        before += count
    places, kept = torch.cat(rows), torch.cat(outputs, 1)
    taken = torch.linspace(0, len(places) - 1, min(SAMPLES, len(places))).round().long()
    return places[taken], kept[:, taken]
