"""Bars for the page that changes a head: candidates before and after, attention beside effect. Labels are escaped."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import t
from app.trained.cause.answer import SMALL, chance, looked_at, positions, query, verdict
from app.trained.cause.cause import Seen, plain
from app.trained.cause.numbers import signed, turned
from components.theme import num
from components.token_bars import token_bars, token_bars_data
from models.interventions.change import What
from models.interventions.compare import Candidate

ORDER: tuple[What, ...] = ("edge", "uniform", "off")
MANY = 32  # tokens whose vectors are drawn beside each other
WORTH = 0.01  # probability from which a candidate is worth a row
ROWS = 7  # candidates that are shown: the page fits a laptop's screen
COLUMNS = ("token", "before", "after", "bits", "rank")


def show_effect(seen: Seen) -> None:
    """The outputs before and after the chosen change."""
    if seen.token is None:
        _vectors(seen)
    else:
        _candidates(seen)


def _candidates(seen: Seen) -> None:
    """Every candidate with its bar before and its bar after, on one scale."""
    compared = seen.compared()
    always = (seen.token, compared.top_before.token, compared.top_after.token)
    worth = [c for c in compared.candidates if max(c.before, c.after) >= WORTH or c.token in always]
    likely = sorted(worth, key=lambda c: (c.token not in always, -max(c.before, c.after)))[:ROWS]
    shown = sorted(likely, key=lambda c: c.rank_before)
    scale = max(max(c.before, c.after) for c in shown)
    titles = "".join(
        f'<span role="columnheader">{escape(t(f"cause.column.{name}"))}</span>' for name in COLUMNS
    )
    rows = "".join(_row(seen, c, scale) for c in shown)
    divergence = t("cause.divergence", bits=num(compared.divergence))
    st.html(
        f'<div class="am-ba" role="table" aria-label="{escape(t("cause.candidates"))}">'
        f'<div class="head" role="row">{titles}</div>{rows}</div><p class="am-small">{divergence}</p>'
    )


def _row(seen: Seen, c: Candidate, scale: float) -> str:
    sign = "fall" if c.bits <= -SMALL else "rise" if c.bits >= SMALL else "same"
    rank = f"{c.rank_before + 1:,}" if c.rise == 0 else f"{c.rank_before + 1:,} → {c.rank_after + 1:,}"
    cells = (
        f'<span class="token" role="cell">{escape(seen.label(c.token))}</span>',
        _bar("before", c.before, scale, c.rank_before == 0),
        _bar(f"after {sign}", c.after, scale, c.rank_after == 0),
        f'<span class="bits {sign}" role="cell">{signed(c.bits)}</span>',
        f'<span class="rank" role="cell">{rank}</span>',
    )
    return f'<div class="row{" followed" if c.token == seen.token else ""}" role="row">{"".join(cells)}</div>'


def _bar(name: str, probability: float, scale: float, first: bool) -> str:
    width = 100 * probability / scale if scale else 0
    return (
        f'<span class="bar {name}{" first" if first else ""}" role="cell">'
        f'<span class="track"><i style="width:{width:.1f}%"></i></span><b>{chance(probability)}</b></span>'
    )


def _vectors(seen: Seen) -> None:
    """How far each token's vector turns; of many tokens those that turn most."""
    found, labels = seen.moved().turned, positions(seen)
    if len(labels) > MANY:
        order = sorted(found.argsort(descending=True)[:MANY].tolist())
        found, labels = found[order], [labels[place] for place in order]
    st.html(f'<p class="am-small">{t("cause.vectors")}</p>')
    names = [(label,) for label in labels]
    token_bars(
        token_bars_data(found.numpy(), names, label=t("cause.vectors"), height=64, hue="w"),
        key="cause_vectors",
    )


def show_ledger(seen: Seen) -> None:
    """The attention of the chosen edge, and below it what each of the three changes does: two different things."""
    follows = seen.token is not None
    values: dict[What | None, float] = {what: seen.change(what) for what in ORDER}
    if seen.besides:
        values = {None: seen.change(None), **values}
    largest = max(1.0 if follows else 0.02, *(abs(value) for value in values.values()))
    rows = "".join(
        f'<div class="row{" chosen" if what == seen.what else ""}"><span>{_done(seen, what)}</span>'
        f"{_diverging(value, largest, both=follows)}<b>{signed(value) if follows else turned(value)}</b></div>"
        for what, value in values.items()
    )
    share = 100 * min(1.0, seen.weight)
    edge = t("cause.ledger.weight", query=query(seen), at=looked_at(seen))
    st.html(
        f'<div class="am-ledger"><div class="row weight"><span>{edge}</span>'
        f'<span class="track"><i class="w" style="left:0;width:{share:.1f}%"></i></span><b>{num(seen.weight)}</b></div>'
        f'<p>{_unit(seen)}</p>{rows}<p class="verdict">{verdict(seen)}</p></div>'
    )


def _done(seen: Seen, what: What | None) -> str:
    if what is None:
        return t("cause.ledger.besides", count=len(seen.besides))
    return t("cause.ledger.too" if seen.besides else "cause.ledger.alone", done=t(f"cause.ledger.{what}"))


def _unit(seen: Seen) -> str:
    if seen.token is None:
        return t("cause.ledger.turned")
    return t("cause.ledger.bits", token=escape(plain(seen.label(seen.token))))


def _diverging(value: float, largest: float, *, both: bool) -> str:
    """A bar from the middle to the left (falls) or right (rises); from the left edge where nothing can fall."""
    share = min(1.0, abs(value) / largest) * (50 if both else 100)
    left = (50 - share if value < 0 else 50) if both else 0
    sign = "fall" if value < 0 else "rise" if both else "w"
    middle = "<em></em>" if both else ""
    return f'<span class="track">{middle}<i class="{sign}" style="left:{left:.1f}%;width:{share:.1f}%"></i></span>'
