"""The numbers of the laboratory on scaling, measured once for equal knobs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st
import torch

from models import scaling, steps
from models.scaling import Measured

SIZES = tuple(2**power for power in range(11))  # 1 … 1,024
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


@dataclass(frozen=True)
class Curves:
    """What was measured at each of SIZES, without and with division by √d_k."""

    plain: tuple[Measured, ...]
    scaled: tuple[Measured, ...]


@dataclass(frozen=True)
class Here:
    """What was measured at one d_k, and the row of one typical query, the same at
    every d_k: scores and weights (M numbers each), without and with
    division by √d_k."""

    plain: Measured
    scaled: Measured
    scores: tuple[float, ...]
    plain_weights: tuple[float, ...]
    scaled_weights: tuple[float, ...]


@st.cache_resource(max_entries=64, show_spinner=False)
def curves(keys: int, temperature: float, seed: int) -> Curves:
    """Both curves over SIZES; about a quarter of a second."""
    pairs = [_pair(d_k, keys, temperature, seed) for d_k in SIZES]
    return Curves(tuple(plain for plain, _ in pairs), tuple(scaled for _, scaled in pairs))


@st.cache_resource(max_entries=128, show_spinner=False)
def here(d_k: int, keys: int, temperature: float, seed: int) -> Here:
    """The chosen d_k, which may be any whole number."""
    draws, scale = scaling.draw(d_k, keys, seed), 1 / math.sqrt(d_k)
    row = _row(keys, seed)
    scores = scaling.dot_product_rows(draws, 1.0)[row]
    scaled = scaling.dot_product_rows(draws, scale)[row]
    plain_measured, scaled_measured = _pair(d_k, keys, temperature, seed)
    return Here(
        plain_measured,
        scaled_measured,
        tuple(scores.tolist()),
        tuple(steps.softmax(scores, temperature).tolist()),
        tuple(steps.softmax(scaled, temperature).tolist()),
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _row(keys: int, seed: int) -> int:
    """The query that is looked at, the same at every d_k."""
    return scaling.typical_row(SIZES, keys, seed)


def _pair(d_k: int, keys: int, temperature: float, seed: int) -> tuple[Measured, Measured]:
    draws = scaling.draw(d_k, keys, seed)
    return (
        scaling.measure(draws, 1.0, temperature),
        scaling.measure(draws, 1 / math.sqrt(d_k), temperature),
    )
