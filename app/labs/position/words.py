"""What is said about the position laboratory's picture, with the numbers that are on the screen."""

from __future__ import annotations

import math

from app import state
from app.i18n import t
from app.labs.position import position
from app.labs.position.state import MOVABLE, Looked
from app.labs.small import small
from components.theme import num
from models.positions import frequency
from models.relative import alibi_slopes


def statement(looked: Looked) -> str:
    """A few sentences about the picture."""
    parts = {
        "encoding": lambda: [_encoding(looked)],
        "sentence": lambda: _sentence(looked),
        "similarity": lambda: [_similarity(looked)],
    }[looked.view]()
    return "\n\n".join(parts)


def _encoding(looked: Looked) -> str:
    if looked.name == "sinusoidal":
        return _sinusoidal(looked)
    if looked.name == "learned":
        rows, columns = looked.encoding.shape
        return t("lab.position.says_learned", rows=rows, columns=columns, **_cut(looked, rows))
    if looked.name == "rotary":
        return _rotary(looked)
    return _alibi(looked) if looked.name == "alibi" else _t5(looked)


def _cut(looked: Looked, rows: int) -> dict[str, str]:
    return {"end": t("lab.position.table_ends") if looked.length > rows else ""}


def _sinusoidal(looked: Looked) -> str:
    base, size, first = looked.scheme.base, looked.size, looked.dimension
    values = {
        "first": first,
        "turn": f"{2 * math.pi / frequency(first, size, base):,.1f}",
        "fast": num(2 * math.pi, 1),
        "slow": f"{2 * math.pi / frequency(size - 1, size, base):,.1f}",
        "last": size - 1,
    }
    pair = "says_pair" if first + 1 < size else "says_single"
    return t(f"lab.position.{pair}", second=first + 1, **values)


def _rotary(looked: Looked) -> str:
    d_k, base = looked.trace.d_k, looked.scheme.base
    pairs = d_k // 2
    if not pairs:
        return ""
    labels = looked.trace.labels("key")
    text = t(
        "lab.position.says_rotary",
        i=labels[looked.i],
        j=labels[looked.j],
        p=looked.i + looked.scheme.start,
        q=looked.j + looked.scheme.start,
        slow=small(base ** (-2 * (pairs - 1) / d_k) if pairs > 1 else 1.0),
        distance=looked.j - looked.i,
    )
    return text + (t("lab.position.odd_rotary", d_k=d_k) if d_k % 2 else "")


def _alibi(looked: Looked) -> str:
    slopes = alibi_slopes(looked.trace.heads)
    return t(
        "lab.position.says_alibi",
        head=looked.head,
        slope=small(float(slopes[looked.head])),
        steepest=small(float(slopes.max())),
        flattest=small(float(slopes.min())),
        heads=looked.trace.heads,
    )


def _t5(looked: Looked) -> str:
    distance = looked.j - looked.i
    bucket, value = position.table_value(looked.scheme, looked.trace.heads, looked.head, distance)
    return t(
        "lab.position.says_t5",
        used=position.used_buckets(looked.scheme, len(looked.trace.labels("key"))),
        buckets=looked.scheme.buckets,
        i=looked.trace.labels("key")[looked.i],
        j=looked.trace.labels("key")[looked.j],
        distance=distance,
        bucket=bucket,
        value=num(value),
        furthest=looked.scheme.furthest,
    )


def _sentence(looked: Looked) -> list[str]:
    scores = looked.scores
    change = scores.change if scores.mask is None else scores.change * scores.mask
    at = int(change.abs().argmax())
    i, j = divmod(at, change.shape[1])
    pair = {"i": scores.labels[i], "j": scores.labels[j]}
    if looked.name == "none":
        return [t("lab.position.says_none", count=change.numel())]
    values = {"before": num(float(scores.before[i, j])), "after": num(float(scores.after[i, j]))}
    parts = [t(f"lab.position.acts_{looked.name}", **pair, **values)]
    if looked.name not in MOVABLE:
        parts.append(t("lab.position.needs_no_shift"))
    elif not looked.scheme.start:
        parts.append(t("lab.position.try_shift"))
    else:
        name = "kept_exactly" if not scores.moved_by else "kept" if scores.moved_by < 1e-6 else "moved"
        parts.append(t(f"lab.position.{name}", shift=looked.scheme.start, change=small(scores.moved_by)))
    return parts


def _similarity(looked: Looked) -> str:
    if looked.name not in MOVABLE:
        return _alibi(looked) if looked.name == "alibi" else _t5(looked)
    first, second = looked.curves
    values = {
        "a": first.place,
        "b": second.place,
        "gap": small(position.furthest_apart(first, second)),
        "top": num(float(first.value[0])),
    }
    if looked.name == "learned":
        return t("lab.position.alike_learned", **values)
    if looked.name == "sinusoidal" and looked.size % 2:
        return t("lab.position.alike_odd", size=state.lab("p_d"), **values)
    return t("lab.position.alike", **values)
