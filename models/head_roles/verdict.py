"""What a head is best at: a name for it, where the numbers are clear."""

from __future__ import annotations

from typing import NamedTuple

from models.head_roles.places import SHARES
from models.head_roles.scores import Scores

ROLES = (*SHARES, "diagonal", "broad")
CLEAR = 0.4  # of the way from even attention to all attention
BROAD = 0.9  # of the entropy that even attention has
EASY = 0.5  # what even attention may score at most: in a short text three diagonals hold nearly everything
RESTING = 0.95  # of the attention at the first token: what is left says nothing


class Role(NamedTuple):
    """The name of a role and the score that earned it."""

    name: str
    score: float


def role_of(scores: Scores, head: int) -> Role | None:
    """The share that lies furthest above even attention, if that is at least `CLEAR`; else the diagonal; else "broad"
    for a head that is nearly even (Clark et al. 2019, section 3.3). None if nothing stands out.

    With the first token set aside that role is only given to heads that do nothing else.

    A description of where attention goes, not a proof of what it is for.
    """
    first = scores.value("first", head)
    if scores.aside and first is not None and first >= RESTING:
        return Role("first", first)
    if best := _clearest(scores, head, _shares(scores)) or _clearest(scores, head, ("diagonal",)):
        return best
    evenness = scores.value("evenness", head)
    return Role("broad", evenness) if evenness is not None and evenness >= BROAD else None


def nearest_share(scores: Scores, head: int) -> str | None:
    """The share that lies furthest above even attention, however little that is; None if none does."""
    found = _by_excess(scores, head, _shares(scores))
    return found[1] if found[0] > 0 else None


def _shares(scores: Scores) -> tuple[str, ...]:
    return tuple(kind for kind in SHARES if kind != "first") if scores.aside else SHARES


def _clearest(scores: Scores, head: int, kinds: tuple[str, ...]) -> Role | None:
    excess, kind = _by_excess(scores, head, kinds)
    return Role(kind, scores.value(kind, head) or 0.0) if excess >= CLEAR else None


def _by_excess(scores: Scores, head: int, kinds: tuple[str, ...]) -> tuple[float, str]:
    """The largest excess and whose it is."""
    telling = [kind for kind in kinds if scores.even.get(kind, 1.0) <= EASY]
    found = [(excess, kind) for kind in telling if (excess := scores.excess(kind, head)) is not None]
    return max(found, key=lambda pair: pair[0], default=(0.0, ""))
