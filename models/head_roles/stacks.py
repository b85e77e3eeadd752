"""Measuring whole stacks of attention calls, a few heads at a time: their weights are never held all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from torch import Tensor

from models.head_roles.measures import Tally, even_weights, joined, rest_tally, share_tally, tally
from models.head_roles.places import Places, places_of
from models.head_roles.scores import means
from models.pretrained import AttentionCall, ModelTrace
from models.pretrained.labels import ModelTokens

Stack = tuple[str, str]  # stream and kind
Report = Callable[[float], object]

AT_ONCE = 4_000_000  # weights that are measured together: with what the formulas need, about 100 MB


def stack_tallies(
    calls: Sequence[AttentionCall],
    tokens: Mapping[str, ModelTokens],
    report: Report = lambda _: None,
    *,
    aside: bool = False,
) -> list[Tally]:
    """The tallies of these calls, one per layer; the last "head" of each is even attention.

    `tokens` are the trace's. `report` is told how far it is, from 0 to 1. `aside` sets the first token aside.
    """
    found, standing = [], Standing(tokens)
    for number, call in enumerate(calls, start=1):
        found.append(call_tally(call, standing(call), aside=aside))
        report(number / len(calls))
    return found


def trace_tallies(traces: Iterable[ModelTrace], *, aside: bool = False) -> dict[Stack, list[Tally]]:
    """The tallies of all stacks, one per layer that has attention, added up over traces of one model. A trace is let
    go before the next is made."""
    found: dict[Stack, dict[int, Tally]] = {}
    for trace in traces:
        standing = Standing(trace.tokens)
        for call in trace.calls:
            layers = found.setdefault((call.stream, call.kind), {})
            layers.setdefault(call.layer, Tally()).add(call_tally(call, standing(call), aside=aside))
    return {stack: [layers[number] for number in sorted(layers)] for stack, layers in found.items()}


class Standing:
    """The places of a trace's calls, one after the other: layers that see the same share them."""

    def __init__(self, tokens: Mapping[str, ModelTokens]) -> None:
        self._tokens = tokens
        self._last: tuple[tuple[str, str], Places] | None = None

    def __call__(self, call: AttentionCall) -> Places:
        stack, visible = (call.stream, call.kind), _visible(call)
        if self._last is not None:
            earlier, places = self._last
            size = (places.queries, places.keys)
            if (earlier, size) == (stack, (call.queries, call.keys)) and _equal(places.visible, visible):
                return places
        self._last = (stack, call_places(call, self._tokens))
        return self._last[1]


def _equal(one: Tensor | None, other: Tensor | None) -> bool:
    return one is other if one is None or other is None else torch.equal(one, other)


def call_tally(call: AttentionCall, places: Places, *, aside: bool = False) -> Tally:
    """The tally of one call, of heads + 1: even attention comes last. With `aside`, without the first token."""
    counted = rest_tally if aside else tally
    together = max(1, AT_ONCE // (call.queries * call.keys))
    parts = []
    for start in range(0, call.heads + 1, together):
        weights = call.weights_of_heads(range(start, min(start + together, call.heads)))
        if start + together > call.heads:
            weights = torch.cat((weights, even_weights(places)[None]))
        parts.append(counted(weights, places))
    return joined(parts)


def shares(weights: Tensor, places: Places) -> dict[str, Tensor]:
    """The shares of weights (H × N × M) at these places: measure → one number per head."""
    return means(share_tally(weights, places))


def call_shares(call: AttentionCall, weights: Tensor, tokens: Mapping[str, ModelTokens]) -> dict[str, Tensor]:
    """As `shares`, of one call alone."""
    return shares(weights, call_places(call, tokens))


def call_places(call: AttentionCall, tokens: Mapping[str, ModelTokens]) -> Places:
    """The tokens that the call's queries and keys stand for."""
    cross = call.kind == "cross"
    keys = tokens.get("encoder" if cross else call.stream)
    return places_of(keys, call.queries, call.keys, _visible(call), cross=cross)


def _visible(call: AttentionCall) -> Tensor | None:
    visible = call.visible()
    if call.padded is None:
        return visible
    read = ~call.padded[0].expand(call.queries, -1)  # N M
    return read if visible is None else visible & read
