"""What the laboratory on masks says about the numbers on the screen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from app.i18n import t
from app.labs.small import small
from components.theme import num
from models.masked import MaskChoice, Masked, kind_of

LISTED = 6  # tokens that are named before it is "and n more"


def about_row(labels: Sequence[str], plain: Masked, now: Masked, row: int, head: int) -> str:
    """What the mask does to one query: how many keys it keeps, and where the weight of the others went."""
    token, seen, total = labels[row], int(now.mask[row].sum()), len(labels)
    if seen == total:
        return t("lab.masks.row_sees_all", token=token, total=total)
    if seen == 0:
        return t("lab.masks.row_lost", token=token)
    freed = float(plain.weights[head, row][~now.mask[row]].sum())
    strongest = int(now.weights[head, row].argmax())
    return t(
        "lab.masks.row_sees",
        token=token,
        seen=seen,
        total=total,
        freed=num(freed),
        strongest=labels[strongest],
        before=num(float(plain.weights[head, row, strongest])),
        after=num(float(now.weights[head, row, strongest])),
        sum=num(float(now.weights[head, row].sum())),
    )


def about_mask(choice: MaskChoice, mask: Tensor) -> str:
    """How much is hidden, and what combining does to a prefix."""
    hidden = int((~mask).sum())
    text = (
        t("lab.masks.hides", hidden=hidden, total=mask.numel(), share=num(100 * hidden / mask.numel(), 0))
        if hidden
        else t("lab.masks.hides_nothing", total=mask.numel())
    )
    if choice.prefix and choice.causal:
        text += t("lab.masks.sep") + t("lab.masks.prefix_closed")
    return text


def about_lost(labels: Sequence[str], row: int, lost: Sequence[int], found: Mapping[str, Tensor]) -> str:
    """What the implementations made of a row that lost everything, counted from their answers."""
    kinds = {name: kind_of(weights) for name, weights in found.items()}
    parts = [
        t("lab.masks.lost", tokens=listed([labels[i] for i in lost]), count=len(lost), token=labels[row])
    ]
    for which in ("zero", "even", "nan"):
        names = [t(f"lab.masks.by.{name}") for name, what in kinds.items() if what == which]
        if names:
            parts.append(
                t(
                    f"lab.masks.gives_{which}",
                    names=t("lab.masks.list").join(names),
                    even=num(1 / len(labels)),
                )
            )
    return t("lab.masks.sep").join(parts)


def about_moves(causal: Tensor, free: Tensor, now: Tensor, word: str) -> str:
    """Whether the earlier outputs stay when `word` is added: under a causal mask, without any, under the
    present one."""
    most = float(free.max()) if len(free) else math.nan
    text = t(
        "lab.masks.moves",
        word=word,
        causal=small(float(causal.max())),
        count=int((free > 0).sum()),
        total=len(free),
        free=small(most),
    )
    changed = int((now > 0).sum())
    own = t("lab.masks.moves_now" if changed else "lab.masks.moves_not_now", count=changed, total=len(now))
    return text + t("lab.masks.sep") + own


def listed(tokens: Sequence[str]) -> str:
    """Tokens with commas between, the later ones as a number."""
    shown = t("lab.masks.list").join(tokens[:LISTED])
    more = len(tokens) - LISTED
    return shown if more <= 0 else t("lab.masks.and_more", tokens=shown, count=more)
