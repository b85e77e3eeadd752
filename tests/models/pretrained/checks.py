"""The invariant of explanations, for traces of pretrained models."""

from __future__ import annotations

from functools import partial

from tests.models import oracles

SMALLEST = 1e-36  # float32 numbers below have fewer digits

assert_explains = partial(oracles.assert_explains, smallest=SMALLEST)
