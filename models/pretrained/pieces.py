"""What a piece of a vocabulary stands for: its bytes, and how to show them.

Which scheme a tokenizer uses is read off its serialised form, not off the name of its class: a class such as
PreTrainedTokenizerFast serves every scheme.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Literal

from models.tokenizer import visible_label

Scheme = Literal["byte_level", "byte_fallback", "metaspace", "wordpiece", "bytes", "plain"]

SPACE = "▁"  # how SentencePiece writes a space
CONTINUED = "##"  # how WordPiece marks a piece that continues a word
_GLYPHS = str.maketrans({" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"})
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def scheme_of(tokenizer: Any) -> Scheme:
    """How the tokenizer's pieces are written.

    "byte_level": GPT-2's table of characters for bytes; "byte_fallback": SentencePiece with <0xE6> for characters it
    does not know; "metaspace": SentencePiece; "wordpiece": ##; "bytes": a piece is a byte (ByT5); "plain": text.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return _slow_scheme(tokenizer)
    parts = json.loads(backend.to_str())
    model = parts.get("model") or {}
    around = json.dumps(
        [parts.get("decoder"), parts.get("pre_tokenizer"), parts.get("normalizer")], ensure_ascii=False
    )
    if "ByteLevel" in around:
        return "byte_level"
    if "ByteFallback" in around or model.get("byte_fallback"):
        return "byte_fallback"
    if "Metaspace" in around or SPACE in around:
        return "metaspace"
    if "WordPiece" in around or model.get("type") == "WordPiece":
        return "wordpiece"
    return "plain"


def _slow_scheme(tokenizer: Any) -> Scheme:
    """Tokenizers written in Python have no serialised form: their vocabulary tells."""
    if type(tokenizer).__name__ in {"ByT5Tokenizer", "MyT5Tokenizer", "PerceiverTokenizer"}:
        return "bytes"
    sample = list(tokenizer.get_vocab())[:5000]
    if any(SPACE in piece for piece in sample):
        return "metaspace"
    return "wordpiece" if any(piece.startswith(CONTINUED) for piece in sample) else "plain"


def _byte_table() -> dict[str, int]:
    """GPT-2's characters for the 256 bytes: printable ones stand for themselves, the others are moved beyond 255."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    moved = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(256 + place): byte for place, byte in enumerate(moved)
    }


_BYTES = _byte_table()


def piece_bytes(piece: str, scheme: Scheme) -> bytes:
    """The bytes of text that a piece of the vocabulary stands for."""
    if scheme == "byte_level" and all(character in _BYTES for character in piece):
        return bytes(_BYTES[character] for character in piece)
    if scheme == "bytes" and len(piece) == 1 and ord(piece) < 256:
        return bytes([ord(piece)])
    if scheme == "byte_fallback" and (match := _BYTE.fullmatch(piece)):
        return bytes.fromhex(match[1])
    if scheme in ("byte_fallback", "metaspace"):
        piece = piece.replace(SPACE, " ")
    if scheme == "wordpiece":
        piece = piece.removeprefix(CONTINUED)
    return piece.encode("utf-8", "surrogatepass")


def is_byte(piece: str, scheme: Scheme) -> bool:
    """Whether a piece is a byte such as <0xE6>: some tokenizers call these special, but they are text."""
    return scheme == "byte_fallback" and _BYTE.fullmatch(piece) is not None


def _mark_stray(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"⟨{byte:02X}⟩" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("am_mark_stray", _mark_stray)


def bytes_label(data: bytes) -> str:
    """Bytes as text: what is whole is decoded, a byte that is not is shown as ⟨C3⟩."""
    return glyphs(data.decode("utf-8", "am_mark_stray"))


def glyphs(text: str) -> str:
    """Text in which every character shows: ␣ ↵ ⇥ for white space, ⟨200B⟩ for what has no glyph; never blank."""
    return visible_label(text.translate(_GLYPHS)) if text else "∅"
