"""What happens in each place of attention, in words of the session's own texts. Plain text unless it says HTML."""

from __future__ import annotations

from html import escape

from torch import Tensor

from app.i18n import t
from app.trained.axes import sides
from app.trained.headline import spoken
from app.trained.opening import Opened
from app.trained.stack import Stack, labels_of
from app.trained.translate.alignment import alignment, strongest_link
from app.trained.translate.translate import Places, Role, weights_of


def says(role: Role, stack: Stack, *, alone: bool = False) -> str:
    """Who asks, who is asked, how many of each, and what is hidden. `alone`: the model has one stack and one text."""
    call = stack.call
    name = f"{role}_alone" if alone else role
    sentence = t(
        f"translate.says.{name}", queries=call.queries, keys=call.keys, cells=call.queries * call.keys
    )
    hidden = hidden_count(stack)
    after = t("translate.says.hidden", count=hidden) if hidden else t(f"translate.says.open_{role}")
    return t("translate.says.sep").join([sentence, after])


def hidden_count(stack: Stack) -> int:
    """Cells of the chosen head that may not be looked at."""
    visible = stack.call.visible(stack.head)
    return 0 if visible is None else int((~visible).sum())


def aligned(now: Opened, stack: Stack, mean: bool) -> str:
    """What the decoder looks at when it writes, for the query that is looked at and for the strongest pairs ("carro ←
    car 0.81 …"), as HTML."""
    queries, keys = labels_of(stack.call)
    source = now.trace.tokens.get("encoder")
    weights = weights_of(stack, mean)
    written = now.trace.following or queries
    pairs = alignment(weights, written, keys, source.special if source is not None else ())
    row = _row(now, stack, weights)
    found = [
        f'<span class="pair"><span class="am-q">{spoken(pair.written)}</span> ← '
        f'<span class="am-k">{spoken(pair.source)}</span> <b>{pair.weight:.2f}</b></span>'
        for pair in pairs
        if not row or pair.row != stack.i
    ]
    others = [escape(t("translate.aligned")), *found] if found else []
    return " ".join([*row, *others])


def _row(now: Opened, stack: Stack, weights: Tensor) -> list[str]:
    """What the query that is looked at has just read, looks at most, and writes next."""
    queries, keys = labels_of(stack.call)
    weight, at = weights[stack.i].nan_to_num().max(0)
    if now.trace.following is None or not float(weight):
        return []
    return [
        t(
            "translate.row",
            read=f'<b class="am-q">{spoken(queries[stack.i])}</b>',
            at=f'<b class="am-k">{spoken(keys[int(at)])}</b>',
            weight=f"{float(weight):.2f}",
            written=f"<b>{spoken(now.trace.following[stack.i])}</b>",
        )
    ]


def strongest(now: Opened, stack: Stack, mean: bool) -> str:
    """The strongest link of a self-attention between two different tokens, as HTML. Empty where there is none."""
    queries, keys = labels_of(stack.call)
    _, asked = sides(now, stack)
    link = strongest_link(weights_of(stack, mean), () if asked is None else asked.special)
    if link is None:
        return ""
    row, col, weight = link
    return t(
        "translate.strongest",
        query=f'<b class="am-q">{spoken(queries[row])}</b>',
        at=f'<b class="am-k">{spoken(keys[col])}</b>',
        weight=f"<b>{weight:.2f}</b>",
    )


def lacks(places: Places) -> list[str]:
    """A sentence for each place that the model does not have."""
    found = []
    if not places.encoder:
        found.append(t("translate.lacks.encoder"))
    if not places.decoder:
        found.append(t("translate.lacks.decoder"))
    elif "decoder" not in places.stacks:
        found.append(t("translate.lacks.recurrent" if places.recurrent else "translate.lacks.self"))
    if places.encoder and places.decoder and "cross" not in places.stacks:
        found.append(t("translate.lacks.cross"))
    return found
