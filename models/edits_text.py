"""Nested numbers as URL-safe text and back: JSON, compressed, in base64.

Whatever arrives in an address may be hostile, so reading bounds the size and checks what every part is.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any, NoReturn

Data = dict[str, Any]

LARGEST_JSON = 4_000_000  # 512 × 512 numbers with all their digits; also what a compressed bomb may swell to


def encode(data: dict[str, Data]) -> str:
    """Equal data give equal text, of letters, digits, "-" and "_" only."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode(text: str) -> dict[str, Data]:
    """What `encode` was given. Nothing (an empty text) is an empty dict.

    Raises ValueError or RecursionError for text that is damaged, too large, or holds anything but lists of
    numbers in two levels of names.
    """
    if not text:
        return {}
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):  # the decoder would skip other characters
        raise ValueError("a character that encoding never writes")
    data = json.loads(
        _decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))), parse_constant=_refuse
    )
    if not isinstance(data, dict) or not all(isinstance(part, dict) for part in data.values()):
        raise ValueError("names of matrices were expected at the top")
    for part in data.values():
        for value in part.values():
            _check_numbers(value)
    return data


def _decompress(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(packed, LARGEST_JSON)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not stream.eof or stream.unused_data:
        raise ValueError("damaged, cut off or too large")
    return plain


def _check_numbers(value: object) -> None:
    if isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"a number was expected, found {type(value).__name__}")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a finite number")
