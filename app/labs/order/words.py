"""What is said about the order laboratory's picture, with the numbers that are on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from app.i18n import t
from app.labs.order.order import Moved
from app.labs.small import small
from components.theme import num

LISTED = 6  # tokens that are named before it is "and n more"


def about_shuffle(
    order: Sequence[int],
    labels: Sequence[str],
    plain: Moved,
    placed: Moved,
    *,
    causal: bool,
    scheme: str,
    named: str,
) -> str:
    """Which outputs the new order changed, and by how much, without positions and with them."""
    if list(order) == sorted(order):
        return t("lab.order.same_order")
    total, largest = len(labels), float(plain.far.max())
    parts = []
    if plain.count:
        parts.append(t("lab.order.mask_tells", count=plain.count, total=total, size=num(largest)))
    else:
        parts.append(t("lab.order.permuted", total=total, size=small(largest)))
    if named != "none":
        parts.append(_with_positions(labels, placed, scheme))
    if named == "alibi" and not placed.count and not causal:
        parts.append(t("lab.order.mirror"))
    return "\n\n".join(parts)


def _with_positions(labels: Sequence[str], placed: Moved, scheme: str) -> str:
    total = len(labels)
    if not placed.count:
        return t("lab.order.unmoved", scheme=scheme, size=small(float(placed.far.max())))
    most = placed.most
    ranked = sorted(range(total), key=lambda i: -float(placed.far[i]))[1:3]
    others = [
        t("lab.order.one_of", token=labels[i], size=num(float(placed.far[i])))
        for i in ranked
        if float(placed.sizes[i]) > 0
    ]
    return t(
        "lab.order.moved",
        scheme=scheme,
        count=placed.count,
        total=total,
        token=labels[most],
        size=num(float(placed.far[most])),
        others=t("lab.order.then", others=t("lab.order.comma").join(others)) if others else "",
    )


def about_word(
    place: int, change: tuple[str, str], labels: Sequence[str], moved: Moved, *, hidden: bool
) -> str:
    """Which outputs a replaced word moved, and which it left exactly as they were."""
    old, new = change
    if not moved.count:
        return t("lab.order.nothing", old=old, new=new)
    total = len(labels)
    text = t(
        "lab.order.word_moved",
        old=old,
        new=new,
        count=moved.count,
        total=total,
        token=new if moved.most == place else labels[moved.most],
        size=num(float(moved.far[moved.most])),
    )
    still = [labels[i] for i in range(total) if not moved.sizes[i]]
    if still:
        named = t("lab.order.comma").join(still[:LISTED])
        if len(still) > LISTED:
            named = t("lab.order.and_more", names=named, count=len(still) - LISTED)
        why = "still_hidden" if hidden else "still_causal"
        return f"{text}\n\n{t(f'lab.order.{why}', names=named, new=new)}"
    return f"{text}\n\n{t('lab.order.all_moved')}" if moved.count == total > 1 else text
