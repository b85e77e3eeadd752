"""A folder's tokenizer: that of its class, unless the class reads tokenizer.json wrongly, which is then read as it is.

A class builds some tokenizers anew from their vocabulary, with the normalisation and the cutting that models of its
name usually have. Where a folder names a class that does not fit, that gives other tokens than the model learned, or an
error, though the file says exactly what to do.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from models.panics import is_panic

FILE = "tokenizer.json"
TEXTS = (
    "a b",
    "The quick brown fox, it's Über-naïve  at 12.5 %\n",
    "def f(x):\n    return x_1",
    "我喜欢苹果。 Привет <unk>",
)

_LOG = logging.getLogger(__name__)


def load_tokenizer(folder: Path) -> Any:
    """Raises whatever the class raises where there is no tokenizer.json that could be read instead."""
    plain = _read(folder / FILE)
    try:
        own = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    except Exception:
        if plain is None:
            raise
        _LOG.warning(
            "%s: its class cannot load the tokenizer, %s is read as it is", folder, FILE, exc_info=True
        )
        return _as_it_is(folder)
    if plain is None or agree(own, plain):
        return own
    _LOG.warning(
        "%s: %s gives other tokens than %s, which is read as it is", folder, type(own).__name__, FILE
    )
    read = _as_it_is(folder)
    read.model_input_names = own.model_input_names
    return read


def agree(own: Any, plain: Tokenizer) -> bool:
    """Whether a class cuts texts as its tokenizer.json says, special tokens aside: these may be set in other files."""
    try:
        expected = [plain.encode(text, add_special_tokens=False).ids for text in TEXTS]
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):
            raise
        return True  # the file is no better
    try:
        return expected == [own(text, add_special_tokens=False)["input_ids"] for text in TEXTS]
    except Exception:
        return False


def _as_it_is(folder: Path) -> Any:
    """With the special tokens that the folder's other files name."""
    return PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)


def _read(file: Path) -> Tokenizer | None:
    """The file's tokenizer without the padding and cutting that it may ask for; None if there is none to be read."""
    if not file.is_file():
        return None
    try:
        plain = Tokenizer.from_file(str(file))
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):
            raise
        return None
    plain.no_padding()
    plain.no_truncation()
    return plain
