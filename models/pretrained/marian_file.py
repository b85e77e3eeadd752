"""Reads Marian's binary model files with 8-bit weights, as Firefox's translation models are.

Format: github.com/browsermt/marian-dev, src/common/binary.cpp and src/tensors/cpu/integer_common.h.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

VERSION = 1
FLOAT32 = 0x0404
INTGEMM8 = 0x4101  # int8, its scale as a float32 behind the numbers
EMBEDDING = "Wemb"


def read_marian(path: Path) -> dict[str, Tensor]:
    """All weights by their Marian names, as float32; matrices are inputs × outputs, so that x·W is meant.

    Raises ValueError for another version, another type of numbers, or a file that ends too early.
    """
    data = path.read_bytes()
    try:
        return dict(_tensors(data))
    except struct.error as error:
        raise ValueError(f"{path.name} ends too early") from error


def _tensors(data: bytes) -> list[tuple[str, Tensor]]:
    version, count = struct.unpack_from("<QQ", data)
    if version != VERSION:
        raise ValueError(f"a Marian file of version {VERSION} was expected, received version {version}")
    place = 16
    headers = [struct.unpack_from("<QQQQ", data, place + 32 * i) for i in range(count)]
    place += 32 * count
    names, shapes = [], []
    for name_length, _, _, _ in headers:
        names.append(data[place : place + name_length - 1].decode())
        place += name_length
    for _, _, dimensions, _ in headers:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, place))
        place += 4 * dimensions
    place += 8 + struct.unpack_from("<Q", data, place)[0]  # padding
    found = []
    for name, shape, (_, kind, _, size) in zip(names, shapes, headers, strict=True):
        if not name.startswith("special:") and not _is_activation_scale(name):
            found.append((name, _tensor(name, shape, kind, data[place : place + size])))
        place += size
    return found


def _is_activation_scale(name: str) -> bool:
    """Scales of quantised activations; in float32 arithmetic there is nothing to scale."""
    return name.endswith("_QuantMultA")


def _tensor(name: str, shape: tuple[int, ...], kind: int, data: bytes) -> Tensor:
    count = int(np.prod(shape))
    if kind == FLOAT32:
        return torch.from_numpy(np.frombuffer(data, "<f4", count).reshape(shape).copy())
    if kind != INTGEMM8:
        raise ValueError(f"{name}: numbers of type {kind:#x} are not known")
    (scale,) = struct.unpack_from("<f", data, count)
    numbers = np.frombuffer(data, np.int8, count).astype(np.float32) / scale
    if name == EMBEDDING:
        return torch.from_numpy(numbers.reshape(shape))
    return torch.from_numpy(numbers.reshape(shape[::-1]).T.copy())  # stored transposed
