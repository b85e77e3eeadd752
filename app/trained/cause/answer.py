"""The answer in a sentence with the numbers of this text. It is HTML: everything that comes from a vocabulary or a text
is escaped."""

from __future__ import annotations

from app.i18n import t
from app.trained.cause.cause import Seen
from app.trained.cause.numbers import turned as how_far
from app.trained.headline import spoken
from app.trained.stack import labels_of
from components.theme import num, percent
from models.interventions.compare import Candidate, Comparison

SMALL = 0.1  # bits: a change of less than 7 % of a probability is called none
NAMED = 6  # heads that are named before it is "…"
TINY = 0.00005  # a probability of which four decimals show nothing
LOOKS = 0.3  # attention that is worth asking about
TURNED = 0.002  # cosine distance below which a vector is said to stay


def sentence(seen: Seen) -> str:
    """What was done to the head, and what became of the model's output."""
    if seen.hidden and seen.what == "edge" and not seen.besides:
        return t("cause.hidden", query=query(seen), at=looked_at(seen))
    done = t(f"cause.done.{seen.what}", query=query(seen), at=looked_at(seen))
    if seen.besides:
        done = t("cause.also", heads=_named(seen)) + done
    if seen.token is None:
        return done + _turned(seen)
    compared = seen.compared()
    followed = next(c for c in compared.candidates if c.token == seen.token)
    said = t(
        f"cause.says.{size_of(followed.bits)}",
        token=bold(seen.label(followed.token)),
        before=chance(followed.before),
        after=chance(followed.after),
    )
    return done + said + _top(seen, compared, followed)


def size_of(bits: float) -> str:
    """ "stays", "falls" or "rises"."""
    if abs(bits) < SMALL:
        return "stays"
    return "falls" if bits < 0 else "rises"


def _top(seen: Seen, compared: Comparison, followed: Candidate) -> str:
    """What stands first now, if that has changed or is not what was spoken of."""
    before, after = compared.top_before, compared.top_after
    if before.token != after.token:
        return t(
            "cause.instead",
            token=bold(seen.label(after.token)),
            probability=chance(after.after),
            before=bold(seen.label(before.token)),
        )
    if after.token == followed.token and after.bits > 0:
        return ""
    return t("cause.still", token=bold(seen.label(after.token)))


def _turned(seen: Seen) -> str:
    found = seen.moved()
    labels = positions(seen)
    turned = float(found.turned[seen.position])
    most = int(found.turned.argmax())
    said = t(
        "cause.turned" if turned >= TURNED else "cause.unturned",
        token=bold(labels[seen.position]),
        turned=how_far(turned),
        share=percent(float(found.length[seen.position])),
    )
    if most == seen.position or float(found.turned[most]) < TURNED:
        return said
    return said + t("cause.most", token=bold(labels[most]), turned=how_far(float(found.turned[most])))


def chance(probability: float) -> str:
    """A probability with two decimals; near 0 and 1, where these would hide it, with four, or "≈ 0" and "≈ 1"."""
    if min(probability, 1 - probability) < TINY:
        return f"≈ {probability:.0f}"
    return num(probability, 2 if 0.005 <= probability <= 0.995 else 4)


def _named(seen: Seen) -> str:
    """The heads that are off besides."""
    names = [f"L{change.layer}H{change.head}" for change in seen.besides[:NAMED]]
    return ", ".join(names) + (" …" if len(seen.besides) > NAMED else "")


def verdict(seen: Seen) -> str:
    """Whether the chosen edge is what the head works through; nothing where other heads are off besides."""
    if seen.besides:
        return ""
    least = SMALL if seen.token is not None else TURNED
    edge, off = seen.change("edge"), seen.change("off")
    if max(abs(edge), abs(off)) < least:
        return t("cause.verdict.idle" if seen.weight >= LOOKS else "cause.verdict.nothing")
    if abs(edge) < least:
        return t("cause.verdict.elsewhere")
    if edge * off > 0 and abs(edge) >= abs(off) / 2:
        return t("cause.verdict.cause")
    return t("cause.verdict.partly")


def query(seen: Seen) -> str:
    """The chosen query as HTML."""
    return f'<b class="am-q">{spoken(labels_of(seen.stack.call)[0][seen.stack.i])}</b>'


def looked_at(seen: Seen) -> str:
    """The chosen key as HTML."""
    return f'<b class="am-k">{spoken(labels_of(seen.stack.call)[1][seen.stack.j])}</b>'


def bold(label: str) -> str:
    """A token as HTML."""
    return f"<b>{spoken(label)}</b>"


def positions(seen: Seen) -> list[str]:
    """The labels of the positions that have an output."""
    return list(labels_of(seen.subject.calls[-1])[0])
