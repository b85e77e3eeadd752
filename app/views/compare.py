"""Two sentences side by side: where their attention differs, and which outputs moved."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import streamlit as st
import torch

from app import state, unlearned
from app.i18n import t, words
from app.notice import error_notice, notice
from app.session import computed, trace_of
from app.weights import looks, weights
from components.matrix import matrix
from components.theme import num
from components.token_bars import token_bars
from models.errors import InputError
from models.rounding import ROUNDING, distances
from models.settings import Settings
from models.trace import Trace

Floats = npt.NDArray[np.floating]
HEIGHT = 290


@dataclass(frozen=True)
class Comparison:
    """Two traces, compared position by position over the tokens that both have."""

    first: Trace
    second: Trace

    @property
    def same_length(self) -> bool:
        return len(self.first.labels("query")) == len(self.second.labels("query"))

    @property
    def names(self) -> list[tuple[str, ...]]:
        """The token at each shared position; two where they differ."""
        pairs = zip(self.first.labels("query"), self.second.labels("query"), strict=False)
        return [(a,) if a == b else (a, b) for a, b in pairs]

    @property
    def changed(self) -> list[int]:
        return [i for i, names in enumerate(self.names) if len(names) > 1]

    @property
    def moved(self) -> Floats:
        """How far each output moved: the length of the difference of its rows, rounding left away (N)."""
        count = len(self.names)
        before, after = (trace["output"].value[:count] for trace in (self.first, self.second))
        moved: Floats = distances(before, after).numpy()
        return moved


def show() -> None:
    now = computed()
    st.title(t("compare.title"), anchor=False)
    st.text_area(t("compare.second"), height=68, **state.bind("second_text"))
    settings, left_out = without_edited_words(now.settings)
    first = trace_of(settings).trace
    try:
        second = trace_of(replace(settings, text=state.second_text())).trace
    except InputError as error:
        second = None
        if now.problem is None or state.current().second_text is not None:  # else it was said above
            error_notice(error, "second")
    if left_out:
        notice(t("compare.left_out"), "left_out")
    head = min(state.view().head, first.heads - 1)
    unlearned.show()
    _pictures(first, second, head)
    if second is not None:
        _outputs(Comparison(first, second), causal=settings.mask == "causal")


def without_edited_words(settings: Settings) -> tuple[Settings, bool]:
    """Edited word vectors belong to one sentence's positions: both are computed without them."""
    edits = settings.edits.without("embedding")
    return replace(settings, edits=edits), "embedding" in settings.edits


def _pictures(first: Trace, second: Trace | None, head: int) -> None:
    comparison = Comparison(first, second) if second is not None else None
    difference = comparison is not None and comparison.same_length
    places = st.columns(3 if difference else 2, gap="small")
    with places[0]:
        _weights(first, head, "first")
    if second is not None:
        with places[1]:
            _weights(second, head, "second")
    if comparison is not None and difference:
        with places[2]:
            _difference(comparison, head)


def _weights(trace: Trace, head: int, which: str) -> None:
    title = t(f"compare.{which}_title", head=head)
    weights(trace, head, title=title, key=f"am.compare.{which}", height=HEIGHT, channel="compare")


def _difference(comparison: Comparison, head: int) -> None:
    first, second = comparison.first, comparison.second
    labels = second.labels("query")  # short, so that the three pictures line up
    title = t("compare.difference_title")
    difference = second["weights"].value[head] - first["weights"].value[head]
    matrix(
        difference.numpy(),
        labels,
        labels,
        title=title,
        text=words("matrix", label=title),
        key="am.compare.difference",
        limit=max(float(difference.abs().max()), ROUNDING[torch.float32]),  # rounding is not worth a colour
        **looks(first),
        hue="x",
        row_hue="q",
        col_hue="k",
        height=HEIGHT,
        channel="compare",
    )


def _outputs(comparison: Comparison, causal: bool) -> None:
    st.subheader(t("compare.outputs"), anchor=False)
    st.text(statement(comparison, causal))
    token_bars(comparison.moved, comparison.names, label=t("compare.outputs"), key="am.compare.moved")


def statement(comparison: Comparison, causal: bool) -> str:
    """What changed and what moved, with its tokens and numbers."""
    changed, moved, names = comparison.changed, comparison.moved, comparison.names
    parts = [changes(comparison)]
    if len(moved):
        most = int(moved.argmax())
        count = int((moved > 0).sum())
        if count:
            token, size = "→".join(names[most]), num(float(moved[most]))
            parts.append(t("compare.moved", count=count, total=len(moved), token=token, size=size))
        else:
            parts.append(t("compare.still", total=len(moved)))
    if causal and changed and changed[0] > 0 and not moved[: changed[0]].any():
        before = [name[0] for name in names[: changed[0]]]
        listed = (
            t("compare.list").join(before) if len(before) <= 8 else t("compare.first_rows", count=len(before))
        )
        parts.append(t("compare.causal", tokens=listed, changed="→".join(names[changed[0]])))
    elif changed and len(moved) > 1 and (moved > 0).all():
        parts.append(t("compare.everyone"))
    return t("compare.space").join(parts)


def changes(comparison: Comparison) -> str:
    """Which tokens are different, and whether the lengths are."""
    if not comparison.same_length:
        sizes = (len(trace.labels("query")) for trace in (comparison.first, comparison.second))
        return t(
            "compare.lengths",
            **dict(zip(("first", "second"), sizes, strict=True)),
            shared=len(comparison.names),
        )
    changed = ["→".join(comparison.names[i]) for i in comparison.changed]
    if not changed:
        return t("compare.nothing_changed")
    if len(changed) == 1:
        return t("compare.one_changed", token=changed[0])
    return t("compare.changed", count=len(changed))
