"""A text that a model is writing. Drafts never change: writing a token or taking one back gives a new draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

import torch
from torch import Tensor

from models.generation.choice import Rule, choose, probabilities
from models.generation.writer import Prompt, Writer, refusal
from models.pretrained.labels import ModelTokens
from models.pretrained.model import ModelTrace

KEPT = 32  # of so many last steps the logits are kept: 0.2 MB each for 49,152 tokens
AT_ONCE = 64  # tokens read in one pass when a text is opened again


@dataclass(frozen=True)
class Draft:
    """What a writer has been given (`prompt`) and has written.

    `chances` are the probabilities (at temperature 1) that the model gave each written token. A token that ends the
    text is written and not read any more.
    """

    writer: Writer
    prompt: Prompt
    state: Any
    written: tuple[int, ...] = ()
    chances: tuple[float, ...] = ()
    _logits: tuple[Tensor, ...] = ()  # after the last tokens read, the newest last

    @property
    def rows(self) -> int:
        """Tokens read: one row of attention for each."""
        return len(self.prompt.ids) + len(self.written) - self.ended

    @property
    def logits_bytes(self) -> int:
        """What the logits take that are kept for stepping back."""
        return sum(logits.nbytes for logits in self._logits)

    @property
    def ended(self) -> bool:
        """Whether the model has said that its text is complete."""
        return bool(self.written) and self.written[-1] in self.writer.ends

    @property
    def full(self) -> bool:
        """Whether there is no place for another token."""
        return len(self.prompt.ids) + len(self.written) >= self.writer.room

    @property
    def logits(self) -> Tensor:
        """A: of the next token. Raises InputError grow_ended."""
        if self.ended:
            raise refusal("grow_ended")
        return self._logits[-1]

    def next(self, rule: Rule) -> Draft:
        """One token more, chosen by the rule. Raises InputError as `write` does."""
        self._check_open()
        return self.write(choose(self.logits, rule.checked(), len(self.written)))

    def write(self, token: int) -> Draft:
        """One token more. Raises InputError grow_full, grow_ended, grow_not_a_token."""
        self._check_open()
        if not 0 <= token < self.writer.vocabulary:
            raise refusal("grow_not_a_token", token=token, last=self.writer.vocabulary - 1)
        chance = float(probabilities(self.logits)[token])
        longer = replace(self, written=(*self.written, token), chances=(*self.chances, chance))
        if token in self.writer.ends:
            return longer
        reading = self.writer.read(self.state, (token,))
        return replace(longer, state=reading.state, _logits=self._remembered(reading.logits))

    def back(self, count: int = 1) -> Draft:
        """As it was `count` tokens ago; at most everything that was written is taken back."""
        left = max(0, len(self.written) - count)
        if left == len(self.written):
            return self
        rows = len(self.prompt.ids) + left
        logits = self._logits[: max(0, len(self._logits) - (self.rows - rows))]
        shorter = replace(self, written=self.written[:left], chances=self.chances[:left])
        if logits:
            state = self.state if rows == self.rows else self.writer.back(self.state, rows)
            return replace(shorter, state=state, _logits=logits)
        # too long ago: the last token is read once more for what comes after it
        last = (*self.prompt.ids, *self.written)[rows - 1]
        reading = self.writer.read(self.writer.back(self.state, rows - 1), (last,))
        return replace(shorter, state=reading.state, _logits=tuple(reading.logits))

    def moved(self, written: Sequence[int]) -> Draft:
        """The draft in which `written` stands after the same prompt; what both have in common is not read again."""
        common = len([*takewhile(lambda pair: pair[0] == pair[1], zip(self.written, written, strict=False))])
        draft = self.back(len(self.written) - common)
        rest = list(written[common:])
        while rest:
            draft, rest = draft._read(rest[:AT_ONCE]), rest[AT_ONCE:]
        return draft

    def _read(self, ids: Sequence[int]) -> Draft:
        """Several tokens in one pass."""
        *before, last = ids
        if not before or any(token in self.writer.ends for token in before):
            draft = self
            for token in ids:
                draft = draft.write(token)
            return draft
        self._check_open()
        if (token := max(ids)) >= self.writer.vocabulary or (token := min(ids)) < 0:
            raise refusal("grow_not_a_token", token=token, last=self.writer.vocabulary - 1)
        if len(self.prompt.ids) + len(self.written) + len(ids) > self.writer.room:
            raise refusal("grow_full", room=self.writer.room)
        reading = self.writer.read(self.state, before)
        all_logits = torch.stack([self.logits, *reading.logits[:-1]])
        chances = probabilities(all_logits).gather(-1, torch.tensor(before)[:, None])[:, 0].tolist()
        draft = replace(
            self,
            state=reading.state,
            written=(*self.written, *before),
            chances=(*self.chances, *chances),
            _logits=self._remembered(reading.logits),
        )
        return draft.write(last)

    def _remembered(self, logits: Tensor) -> tuple[Tensor, ...]:
        return (*self._logits, *(one.clone() for one in logits[-KEPT:]))[-KEPT:]

    def _check_open(self) -> None:
        if self.ended:
            raise refusal("grow_ended")
        if self.full:
            raise refusal("grow_full", room=self.writer.room)

    @cached_property
    def tokens(self) -> ModelTokens:
        """Prompt and written tokens, labelled."""
        return self.writer.tokens(self.prompt, self.written)

    @cached_property
    def trace(self) -> ModelTrace:
        """Attention over everything that was read, as every view of a trained model takes it."""
        return self.writer.trace(self.prompt, self.written, self.state)

    @property
    def rows_computed(self) -> int:
        """Rows of attention, per head, that it took to write this text token by token."""
        return self.rows if self.writer.cached else self.rows_without_cache

    @property
    def rows_without_cache(self) -> int:
        """Rows that it takes if everything is read again for every token: n + (n + 1) + … for a prompt of n."""
        first = len(self.prompt.ids)
        return sum(range(first, self.rows + 1))


def begin(writer: Writer, text: str) -> Draft:
    """A draft in which nothing is written yet. Raises InputError empty_text, grow_prompt_too_long."""
    prompt, reading = writer.begin(text)
    return Draft(writer, prompt, reading.state, _logits=(reading.logits[-1].clone(),))
