"""What is said about two sentences: which tokens changed, which outputs moved, and how that is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.i18n import t
from components.theme import num
from models.rounding import distances
from models.trace import Trace

Floats = npt.NDArray[np.floating]


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


def statement(comparison: Comparison) -> str:
    """What changed and what moved, with its tokens and numbers."""
    moved, names = comparison.moved, comparison.names
    parts = [changes(comparison)]
    if len(moved):
        most = int(moved.argmax())
        count = int((moved > 0).sum())
        if count:
            token, size = "→".join(names[most]), num(float(moved[most]))
            parts.append(t("compare.moved", count=count, total=len(moved), token=token, size=size))
        else:
            parts.append(t("compare.still", total=len(moved)))
    return t("compare.space").join([*parts, *_reason(comparison)])


def _reason(comparison: Comparison) -> list[str]:
    """Why these outputs moved and no others, as far as the mask tells it."""
    changed, moved, names = comparison.changed, comparison.moved, comparison.names
    if not changed:
        return []
    first = changed[0]
    mask = comparison.second.mask
    if mask is None:
        whole = len(moved) > 1 and bool((moved > 0).all())
        return [t("compare.everyone")] if whole else []
    sees = mask[: len(moved), changed].any(-1).numpy()  # N
    blind = [i for i in range(len(moved)) if not sees[i] and i not in changed and not moved[i]]
    if not blind:
        return []
    tokens = [names[i][0] for i in blind]
    padded = comparison.second.padded
    if blind == list(range(first)) and (padded is None or not padded[first]):
        listed = (
            t("compare.list").join(tokens) if len(tokens) <= 8 else t("compare.first_rows", count=len(tokens))
        )
        return [t("compare.causal", tokens=listed, changed="→".join(names[first]))]
    return [t("compare.blind", count=len(blind))]


def measure(comparison: Comparison) -> str:
    """How "how far" is measured, with the lengths of the outputs to compare it with."""
    output = comparison.first["output"].value
    lengths = output.norm(dim=-1)
    low, high = num(float(lengths.min())), num(float(lengths.max()))
    return t("compare.measure", d_model=output.shape[-1], low=low, high=high)


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
