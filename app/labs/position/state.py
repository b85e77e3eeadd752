"""What the position laboratory looks at: the knobs, read once per run, and what is computed for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from torch import Tensor

from app import state
from app.labs.position import position
from app.session import current_trace
from models.positioned import Placed, Scheme, SchemeName, attend, bias
from models.positions import learned, sinusoidal
from models.trace import Trace

ABSOLUTE = ("sinusoidal", "learned")  # schemes that add a vector to the input
MOVABLE = (*ABSOLUTE, "rotary")  # schemes in which a position has a number, which can be shifted


@dataclass(frozen=True)
class Scores:
    """Scaled scores of one head (N × M, float64) without and with positions, and with all positions moved on."""

    labels: tuple[str, ...]
    before: Tensor
    after: Tensor
    unmoved: Tensor
    mask: Tensor | None = None

    @property
    def change(self) -> Tensor:
        return self.after - self.before

    @property
    def moved_by(self) -> float:
        """The largest change of any score when all positions move on."""
        return float((self.after - self.unmoved).abs().max())


@dataclass(frozen=True)
class Looked:
    """`name` is the scheme ("learned" has no `models.positioned.Scheme`); `i`, `j` the pair of tokens looked at."""

    name: str
    view: str
    trace: Trace
    head: int
    i: int
    j: int
    length: int
    size: int
    scheme: Scheme

    @cached_property
    def encoding(self) -> Tensor:
        """The encoding of the absolute schemes, positions × dimensions."""
        if self.name == "learned":
            from app.labs.position import (
                learned as position_learned,  # imported when needed: its package takes seconds
            )

            table = position_learned.position_table()
            return learned(table, min(self.length, len(table)))
        return sinusoidal(self.length, self.size, base=self.scheme.base)

    @property
    def dimension(self) -> int:
        """The first dimension of the pair whose waves are drawn."""
        return int(min(state.lab("p_dimension"), self.encoding.shape[1] - 1)) // 2 * 2

    @cached_property
    def scores(self) -> Scores:
        if self.name == "learned":
            return self._learned_scores()
        trace, head = self.trace, self.head
        embedding = trace["embedding"].value
        before, after, unmoved = (
            self._attend(embedding, scheme).scores[head]
            for scheme in (replace(self.scheme, name="none"), self.scheme, replace(self.scheme, start=0))
        )
        return Scores(trace.labels("key"), before, after, unmoved, trace.mask)

    def _attend(self, embedding: Tensor, scheme: Scheme) -> Placed:
        return attend(embedding, self.trace, scheme)

    def _learned_scores(self) -> Scores:
        from app.labs.position.learned import HEADS, learned_scores

        text = state.settings().text
        head = min(self.head, HEADS - 1)
        here, unmoved = learned_scores(text, self.scheme.start), learned_scores(text, 0)
        return Scores(here.labels, here.before[head], here.after[head], unmoved.after[head])

    @property
    def pair_unturned(self) -> tuple[Tensor, Tensor]:
        """The query of token i and the key of token j of this head, without positions (K, float64)."""
        found = self._attend(self.trace["embedding"].value, replace(self.scheme, name="none"))
        return found.query[self.head, self.i], found.key[self.head, self.j]

    @cached_property
    def places(self) -> tuple[int, int]:
        """The two positions from which similarity is measured: the first, and one in the middle."""
        return 0, self.length_drawn // 2

    @property
    def length_drawn(self) -> int:
        return len(self.encoding) if self.name in ABSOLUTE else self.length

    @cached_property
    def curves(self) -> tuple[position.Curve, position.Curve]:
        """How alike two positions are, from both places."""
        if self.name == "rotary":
            first, second = (
                position.turned_similarity(self.length, self.size, self.scheme.base, place)
                for place in self.places
            )
        else:
            first, second = (position.similarity(self.encoding, place) for place in self.places)
        return first, second

    @cached_property
    def bias(self) -> Tensor:
        """The bias of this head over all distances −(L−1) … L−1."""
        return position.bias_over_distance(self.scheme, self.trace.heads, self.length)[self.head]

    def bias_matrix(self) -> Tensor:
        """The bias of this head for as many positions as a matrix can show."""
        found = bias(self.scheme, self.trace.heads, min(self.length, position.DRAWN_BIAS))
        assert found is not None
        return found[self.head]


def looked() -> Looked:
    """Raises InputError for knobs that do not go together."""
    trace, view = current_trace(), state.view()
    count = len(trace.labels("key"))
    name = state.lab("p_scheme")
    scheme = Scheme(
        cast(SchemeName, "none" if name == "learned" else name),
        base=state.lab("p_base"),
        buckets=state.lab("p_buckets"),
        furthest=state.lab("p_furthest"),
        both_ways=state.lab("p_both"),
        seed=state.settings().seed,
        start=state.lab("p_shift") if name in MOVABLE else 0,
    )
    if name == "learned":
        scheme = replace(scheme, start=min(scheme.start, 512 - 64))  # the table ends there
    return Looked(
        name,
        "sentence" if name == "none" else state.lab("p_view"),
        trace,
        min(view.head, trace.heads - 1),
        min(view.i, count - 1),
        min(view.j, count - 1),
        state.lab("p_length"),
        state.lab("p_d"),
        position.checked(scheme),
    )
