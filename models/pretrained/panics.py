"""A tokenizer that breaks down in its own code ends in a sentence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from models.panics import is_panic
from models.pretrained.problems import problem

_LOG = logging.getLogger(__name__)


@contextmanager
def panics_said() -> Iterator[None]:
    """InputError model_tokenizer_failed in place of a panic; all else passes, also what ends the thread."""
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        _LOG.warning("a tokenizer panicked: %s", error)
        raise problem("model_tokenizer_failed", detail=str(error)[:200]) from error
