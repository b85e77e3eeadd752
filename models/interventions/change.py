"""What is changed in one head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from models.errors import InputError

What = Literal["off", "uniform", "edge"]
WHATS: tuple[What, ...] = get_args(What)


@dataclass(frozen=True)
class Intervention:
    """One change of one head; stream, kind, layer and head are those of an `AttentionCall`, counted from 0.

    "off": the head's output z_h is 0 before W_O. "uniform": every query spreads its attention evenly over the keys it
    may see. "edge": the query number `query` may not look at the key number `key`: that score becomes −∞ before the
    softmax and the rest of the row is renormalised; a row that has no other key becomes 0.
    """

    stream: str
    kind: str
    layer: int
    head: int
    what: What = "off"
    query: int | None = None
    key: int | None = None

    def checked(self) -> Intervention:
        """The same, if it can be carried out. Raises InputError: unknown_choice, cause_no_edge."""
        if self.what not in WHATS:
            raise InputError(
                "unknown_choice",
                f"what: one of {', '.join(WHATS)} was expected, received {self.what}. Choose one of these.",
                name="what",
                allowed=", ".join(WHATS),
                value=self.what,
            )
        if self.what == "edge" and (self.query is None or self.key is None):
            raise InputError(
                "cause_no_edge",
                "Blocking an edge needs a query and a key, and one of them is missing. Choose a cell of the matrix.",
            )
        return self
