"""Where the measures look: which keys are the previous token, an earlier copy, a separator … of every query."""

from __future__ import annotations

import operator
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from models.pretrained.labels import ModelToken, ModelTokens

ALONG_A_TEXT = ("previous", "next", "itself", "earlier", "induction")  # mean nothing between two texts
SHARES = ("previous", "next", "itself", "earlier", "first", "induction", "separator")


@dataclass(frozen=True)
class Places:
    """The tokens that N queries and M keys stand for, as far as the measures need them.

    `ids` (M) are the tokens' numbers, empty where there are no tokens (images, sound); `special` (M) marks special
    tokens and stand-ins for unknown text, which repeat nothing, `separator` (M) separators. `cross` says that queries
    and keys belong to two texts. `visible` (N × M) is True where a query may look at a key, None where it may look
    everywhere.
    """

    queries: int
    keys: int
    ids: tuple[int, ...] = ()
    special: tuple[bool, ...] = ()
    separator: tuple[bool, ...] = ()
    cross: bool = False
    visible: Tensor | None = None

    @cached_property
    def seen(self) -> Tensor:
        """`visible`, always as a matrix."""
        everywhere = torch.ones(self.queries, self.keys, dtype=torch.bool)
        return everywhere if self.visible is None else self.visible

    @cached_property
    def choosing(self) -> Tensor:
        """N: queries that can look at two keys or more. A query with one key has no choice, and says nothing."""
        return self.seen.sum(-1) >= 2

    @cached_property
    def targets(self) -> dict[str, Tensor]:
        """The keys (N × M, True) that each measure of `SHARES` is about; what cannot be told here is left out."""
        wanted = self._between_texts() if self.cross else {**self._along(), **self._copies()}
        if len(self.separator) == self.keys:
            behind_first = torch.tensor(self.separator)
            behind_first[:1] = False  # the first token has a measure of its own
            wanted["separator"] = behind_first.expand(self.queries, -1)
        return {name: wanted[name] & self.seen & self.choosing[:, None] for name in SHARES if name in wanted}

    @cached_property
    def rows(self) -> slice | Tensor:
        """The rows of `choosing`, as a slice where they are one after the other: that takes no copy."""
        at = torch.nonzero(self.choosing).flatten()
        first, last = (int(at[0]), int(at[-1])) if len(at) else (0, -1)
        return slice(first, last + 1) if last + 1 - first == len(at) else at

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many queries have a key of each of `targets`."""
        return {name: int(target.any(-1).sum()) for name, target in self.targets.items()}

    @cached_property
    def without_first(self) -> Places:
        """The same where no query may look at the first token."""
        return replace(self, visible=self.seen & (self._column > 0))

    def _between_texts(self) -> dict[str, Tensor]:
        return {"first": self._column == 0}

    def _along(self) -> dict[str, Tensor]:
        if self.queries != self.keys:  # rows of a pooling layer do not stand where the columns do
            return {}
        offset = self._column - self._row
        first = (self._column == 0) & (self._row > 0)
        return {"previous": offset == -1, "next": offset == 1, "itself": offset == 0, "first": first}

    def _copies(self) -> dict[str, Tensor]:
        if not len(self.ids) == self.queries == self.keys:
            return {}
        ids = torch.tensor(self.ids)
        same = ids[:, None] == ids[None, :]
        if len(self.special) == self.keys:
            same &= ~torch.tensor(self.special)[:, None]  # that [SEP] stands there twice repeats nothing
        earlier = same & (self._column < self._row)
        follows = torch.zeros_like(same)
        follows[:, 1:] = earlier[:, :-1]
        # after "a a a" the follower is another copy: looking at copies and continuing them would be the same
        return {"earlier": earlier, "induction": follows & (ids[:, None] != ids[None, :])}

    @property
    def _row(self) -> Tensor:
        return torch.arange(self.queries)[:, None]

    @property
    def _column(self) -> Tensor:
        return torch.arange(self.keys)[None, :].expand(self.queries, -1)


def places_of(
    keys: ModelTokens | None, queries: int, count: int, visible: Tensor | None, *, cross: bool
) -> Places:
    """The places of a call with `queries` × `count` weights whose keys are these tokens; None or other tokens than
    the call has (pooling layers) means that nothing is known of them."""
    if keys is None or len(keys) != count:
        return Places(queries, count, cross=cross, visible=visible)
    # two stand-ins are the same token and, as far as anybody knows, two different words
    repeats_nothing = tuple(map(operator.or_, keys.special, keys.unknown))
    return Places(queries, count, keys.ids, repeats_nothing, separators(keys), cross, visible)


def separators(tokens: ModelTokens) -> tuple[bool, ...]:
    """Special tokens, punctuation and line breaks (Clark et al. 2019 look at [SEP], full stops, commas). Symbols that
    are not part of a text, as those of the tasks of our own models, separate nothing."""
    return tuple(token.special or _divides(_surface(token, tokens)) for token in tokens.pieces)


def _surface(token: ModelToken, tokens: ModelTokens) -> str:
    """What stands in the text; nothing for a part of a character and for what has no place in the text."""
    if token.start is None or token.end is None or token.part is not None:
        return ""
    return tokens.texts[token.segment or 0][token.start : token.end]


def _divides(surface: str) -> bool:
    text = surface.strip()
    if not text:
        return "\n" in surface
    return all(unicodedata.category(character).startswith("P") for character in text)
