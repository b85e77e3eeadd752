"""Tensors as Python expressions that give exactly the same numbers again."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

import torch
from torch import Tensor

LARGEST_WRITTEN_OUT = 2_000  # numbers; a larger tensor is packed
_CHUNK = 100


def decoder(dtype: torch.dtype) -> list[str]:
    """The function that packed tensors of `dtype` need, as lines of code."""
    return [
        f"def unpack(text, *shape):  # base64, zlib, {dtype}".replace("torch.", ""),
        "    data = bytearray(zlib.decompress(base64.b64decode(text)))",
        f"    return torch.frombuffer(data, dtype={dtype}).reshape(shape).double()",
    ]


def literal(values: Tensor, labels: Sequence[str] = ()) -> str:
    """`values` (float32 or float64) as an expression for the same numbers in float64.

    Up to 2,000 numbers are written out, a matrix with one line per row and `labels` as comments; more are packed, for
    `unpack` of `decoder` to read. Infinite and missing numbers are written as the names `inf` and `nan`.
    """
    values = values.detach().cpu()
    if values.numel() > LARGEST_WRITTEN_OUT:
        return _packed(values)
    wide = ", dtype=torch.float64)" if values.dtype == torch.float64 else ").double()"
    if values.ndim != 2 or (values.shape[0] == 1 and not labels):
        return f"torch.tensor({_nested(values)}{wide}"
    comments = [f"  # {label}" for label in labels] or [""] * len(values)
    rows = [f"    {_nested(row)},{comment}\n" for row, comment in zip(values, comments, strict=True)]
    return f"torch.tensor([\n{''.join(rows)}]{wide}"


def _nested(values: Tensor) -> str:
    if values.ndim == 0:
        return str(values.numpy()[()])  # the shortest text that is read back exactly
    return f"[{', '.join(_nested(part) for part in values)}]"


def _packed(values: Tensor) -> str:
    kind = "<f8" if values.dtype == torch.float64 else "<f4"
    text = base64.b64encode(zlib.compress(values.numpy().astype(kind).tobytes(), 9)).decode()
    lines = "\n".join(f'    "{text[i : i + _CHUNK]}"' for i in range(0, len(text), _CHUNK))
    return f"unpack(\n{lines},\n    {', '.join(map(str, values.shape))},\n)"
