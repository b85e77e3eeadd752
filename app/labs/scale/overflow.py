"""The second picture of the laboratory on scaling: softmax to the letter runs out of numbers, the stable does not."""

from __future__ import annotations

import math

import streamlit as st
import torch
from torch import Tensor

from app import choices, state
from app.i18n import t
from app.labs.parts import bounds, number_table
from app.labs.scale.scale import DTYPES, Here
from components.theme import MINUS, cell_number, num
from models import overflow
from models.overflow import Softmaxes

SHOWN = 5  # keys in the table


def show(here: Here) -> None:
    """The typical row without scaling, with a number added to every score: on paper this changes nothing."""
    st.subheader(t("lab.scale.overflow_title"), anchor=False)
    left, right = st.columns([2.1, 1.0], gap="medium")
    with right:
        st.slider(t("lab.scale.add"), step=1, **bounds("s_add"), **state.bind_knob("s_add"))
        choices.segments(
            t("lab.scale.dtype"),
            list(DTYPES),
            str,
            state.knob("s_dtype"),
            required=True,
            width="stretch",
        )
    scores = (torch.tensor(here.scores) + state.lab("s_add")).to(DTYPES[state.lab("s_dtype")])
    found = overflow.both(scores)
    names = ("score", "naive_exponential", "naive_weight", "stable_exponential", "stable_weight")
    with left:
        number_table(("", *(t(f"lab.scale.{name}") for name in names)), rows(scores, found))
    with right:
        st.text(statement(scores, found))


def rows(scores: Tensor, found: Softmaxes) -> list[tuple[str, ...]]:
    """The keys with the largest scores, the rest as a count, and the sums."""
    columns = (scores, found.naive_exponentials, found.naive, found.stable_exponentials, found.stable)
    listed = [
        (t("lab.scale.key_number", number=j), *(scientific(float(column[j])) for column in columns))
        for j in scores.argsort(descending=True)[:SHOWN].tolist()
    ]
    if len(scores) > SHOWN:
        listed.append((t("lab.scale.more_keys", count=len(scores) - SHOWN), "", "", "", "", ""))
    sums = (found.naive_sum, found.naive.float().sum(), found.stable_sum, found.stable.float().sum())
    return [*listed, ("Σ", "", *(scientific(float(total)) for total in sums))]


def scientific(value: float) -> str:
    """A number of any size in few characters: "0.28", "1.7e−5", "2.4e43", "∞"."""
    if value == 0 or not math.isfinite(value) or 0.01 <= abs(value) < 1e6:
        return cell_number(value)
    mantissa, power = f"{value:.1e}".replace("-", MINUS).split("e")
    sign = MINUS if power.startswith(MINUS) else ""
    return f"{mantissa}e{sign}{power[1:].lstrip('0')}"


def statement(scores: Tensor, found: Softmaxes) -> str:
    """What happened to this row, with its numbers."""
    largest, lim = float(scores.max()), overflow.limit(scores.dtype)
    values = {"largest": num(largest), "limit": num(lim), "dtype": str(scores.dtype).removeprefix("torch.")}
    broken = int(found.naive.isnan().sum())
    if math.isinf(float(found.naive_sum)):
        what = t("lab.scale.overflowed", count=broken, **values)
    elif broken:
        what = t("lab.scale.underflowed", **values)
    else:
        gap = float((found.naive.float() - found.stable.float()).abs().max())
        what = t("lab.scale.both_fine", gap=scientific(gap), **values)
    total = num(float(found.stable.float().sum()))
    return f"{what}{t('lab.scale.sep')}{t('lab.scale.stable_fine', total=total)}"
