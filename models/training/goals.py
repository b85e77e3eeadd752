"""Where a head should look: for each task the attention that solves it, and how much of a head's weight goes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.training.tasks import numerals
from models.training.tasks.letters import THEN

Spoken = Callable[[str], list[tuple[str, tuple[int, ...]]]]


@dataclass(frozen=True)
class Goal:
    """`stream` and `kind` of the attention in which the right pattern is expected; `places` (N × M, bool) is True where
    a query should look. Rows without a True cell are not counted."""

    stream: str
    kind: str
    places: Tensor


def goal(task: str, keys: Sequence[str], queries: Sequence[str] | None = None) -> Goal | None:
    """The right attention of a task (its name) for the symbols that are read: `keys` those of the source, or of the
    whole text of a model with one stack, `queries` those that the decoder has read. None for an unknown task."""
    known = _GOALS.get(task)
    if known is None:
        return None
    stream, kind, places = known
    return Goal(stream, kind, places(list(keys if queries is None else queries), list(keys)))


def share(weights: Tensor, places: Tensor) -> Tensor:
    """Of weights H × N × M the mean share per head (H) that goes to the right places; rows without one do not count.
    0 where no row has one."""
    counted = places.any(-1)
    if not bool(counted.any()):
        return weights.new_zeros(weights.shape[0])
    return (weights * places).sum(-1)[:, counted].mean(-1)


def _none(queries: int, keys: int) -> Tensor:
    return torch.zeros(queries, keys, dtype=torch.bool)


def _diagonal(queries: list[str], keys: list[str]) -> Tensor:
    """Whoever writes symbol n (having read n symbols, the start included) looks at symbol n of the source."""
    found = _none(len(queries), len(keys))
    for n in range(min(len(queries), len(keys))):
        found[n, n] = True
    return found


def _mirror(queries: list[str], keys: list[str]) -> Tensor:
    """Place n looks at the place as far from the end as n is from the beginning."""
    return torch.eye(len(queries), len(keys), dtype=torch.bool).flip(-1)


def _next_letter(queries: list[str], keys: list[str]) -> Tensor:
    """From the arrow on, the place (or equal places) before the arrow of the letter to be written next."""
    found = _none(len(queries), len(keys))
    if THEN not in keys:
        return found
    arrow = keys.index(THEN)
    for n, letter in enumerate(sorted(set(keys[:arrow]))):
        if arrow + n < len(queries):
            found[arrow + n, :arrow] = torch.tensor([key == letter for key in keys[:arrow]])
    return found


def _what_followed(queries: list[str], keys: list[str]) -> Tensor:
    """What followed an earlier copy of the symbol (Olsson et al. 2022)."""
    found = _none(len(queries), len(keys))
    for i, symbol in enumerate(queries):
        for j in range(1, i + 1):
            found[i, j] = keys[j - 1] == symbol
    return found


def _partner(queries: list[str], keys: list[str]) -> Tensor:
    """Each bracket looks at the one that it closes or that closes it."""
    found, opened = _none(len(queries), len(keys)), list[int]()
    for place, symbol in enumerate(keys):
        if symbol in _OPENING:
            opened.append(place)
        elif symbol in _OPENING.values() and opened:
            partner = opened.pop()
            found[place, partner] = found[partner, place] = True
    return found


def _digits(spoken: Spoken) -> Callable[[list[str], list[str]], Tensor]:
    """Whoever writes a word looks at the digit it comes from, the names of places (thousand, 千) at the digit there."""

    def places(queries: list[str], keys: list[str]) -> Tensor:
        found = _none(len(queries), len(keys))
        digits = "".join(key for key in keys if key in "0123456789")
        words = spoken(digits) if digits else []
        for n, (_, at) in enumerate(words[: len(queries)]):
            found[n, list(at)] = True
        return found

    return places


def english_digits(digits: str) -> list[tuple[str, tuple[int, ...]]]:
    """The words of a number, each with the digits (counted from the left) that it comes from."""
    words, last = numerals.english(int(digits)), len(digits) - 1
    found: list[tuple[str, tuple[int, ...]]] = []
    for place, name in ((last - 3, "thousand"), (last - 2, "hundred")):
        if place >= 0 and digits[place] != "0":
            found += [(words[len(found)], (place,)), (name, (place,))]
    rest = words[len(found) :]
    if len(rest) == 2:
        return [*found, (rest[0], (last - 1,)), (rest[1], (last,))]
    below_twenty = int(digits[-2:]) < 20
    at = (last - 1, last) if 10 <= int(digits[-2:]) < 20 else (last,) if below_twenty else (last - 1,)
    return [*found, *((word, at) for word in rest)]


def chinese_digits(digits: str) -> list[tuple[str, tuple[int, ...]]]:
    """As `english_digits`; one 零 comes from all the zeros that it stands for."""
    words, found, at = iter(numerals.chinese(int(digits))), list[tuple[str, tuple[int, ...]]](), 0
    if int(digits) == 0:
        return [("零", (0,))]
    while at < len(digits) and digits[at:].strip("0"):
        if digits[at] == "0":
            zeros = len(digits) - at - len(digits[at:].lstrip("0"))
            found.append((next(words), tuple(range(at, at + zeros))))
            at += zeros
            continue
        for _ in range(_characters(digits, at)):
            found.append((next(words), (at,)))
        at += 1
    return found


def _characters(digits: str, at: int) -> int:
    """Characters that a digit other than 0 is said with: 三百, 十 at the front, 五 at the end."""
    from_right = len(digits) - 1 - at
    alone = from_right == 0 or (from_right == 1 and at == 0 and digits[at] == "1")
    return 1 if alone else 2


_OPENING = {"(": ")", "[": "]", "{": "}"}
_GOALS: dict[str, tuple[str, str, Callable[[list[str], list[str]], Tensor]]] = {
    "copy": ("decoder", "cross", _diagonal),
    "reverse": ("encoder", "self", _mirror),
    "sort": ("decoder", "self", _next_letter),
    "repeat": ("decoder", "self", _what_followed),
    "brackets": ("encoder", "self", _partner),
    "words-en": ("decoder", "cross", _digits(english_digits)),
    "words-zh": ("decoder", "cross", _digits(chinese_digits)),
}
