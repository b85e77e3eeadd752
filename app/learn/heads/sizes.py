"""The lower part of the page about heads: parameter counts beside single-head attention's, and the shape ledger.

Nothing a user typed is in here: words come from the locale files, the rest are numbers. So it may be HTML.
"""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from app.i18n import t
from app.learn.heads.numbers import Row, counted_parameters, ledger, parameter_count
from components.theme import count
from models.trace import Trace

_SYMBOLS = {"w_q": ("W", "Q", "q"), "w_k": ("W", "K", "k"), "w_v": ("W", "V", "v"), "w_o": ("W", "O", "x")}

_SUBSCRIPT = re.compile(r"\b([dW])_(model|k|v|Q|K|V|O)\b")


def show_sizes(trace: Trace) -> None:
    left, right = st.columns([1, 1.06], gap="large")
    with left:
        st.html(f"<h2>{notation('heads.parameters.title')}</h2>" + parameters_html(trace))
    with right:
        st.html(f"<h2>{notation('heads.ledger.title')}</h2>" + ledger_html(ledger(trace)))


def parameters_html(trace: Trace) -> str:
    """Two bars on one scale, this layer's parameters and a single head's, with the sentence that compares them."""
    d_model, heads, d_k, d_v = trace.d_model, trace.heads, trace.d_k, trace.d_v
    here = counted_parameters(trace)
    single = dict.fromkeys(here, d_model * d_model)
    total, one = sum(here.values()), sum(single.values())
    scale = max(total, one)
    sizes = {"heads": heads, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    many = notation("heads.parameters.here" if heads > 1 else "heads.parameters.here_one", **sizes)
    result = count(parameter_count(d_model, heads, d_k, d_v))
    formula = f"2·({d_model} × {heads}·{d_k}) + 2·({d_model} × {heads}·{d_v}) = {result}"
    return (
        _bar(many, here, total, scale)
        + _bar(notation("heads.parameters.single", **sizes), single, one, scale)
        + f"<p>{_comparison(total, one, sizes)}</p>"
        + f'<p class="am-formula">{notation("heads.parameters.formula")} <code>{formula}</code><br>'
        + f"{notation('heads.parameters.counted', total=count(total))}</p>"
    )


def _comparison(total: int, one: int, sizes: dict[str, int]) -> str:
    if sizes["heads"] == 1 and total == one:
        return notation("heads.parameters.only_one", **sizes)
    if total == one:
        return notation(
            "heads.parameters.equal", total=count(total), share=sizes["d_model"] // sizes["heads"], **sizes
        )
    key = "heads.parameters.more" if total > one else "heads.parameters.fewer"
    return notation(key, total=count(total), one=count(one), **sizes)


def _bar(label: str, parts: dict[str, int], total: int, scale: int) -> str:
    segments = "".join(_segment(name, size, size / scale) for name, size in parts.items())
    heading = f"<div><span>{label}</span><b>{count(total)}</b></div>"
    return f'<div class="am-bar">{heading}<div class="am-segs">{segments}</div></div>'


def _segment(name: str, size: int, share: float) -> str:
    letter, subscript, hue = _SYMBOLS[name]
    symbol = f"<i>{letter}<sub>{subscript}</sub></i>" if share > 0.05 else ""
    number = f"<small>{count(size)}</small>" if share > 0.12 else ""
    attributes = (
        f'class="am-seg {hue}" style="width:{100 * share:.3f}%" title="{letter}_{subscript}: {count(size)}"'
    )
    return f"<span {attributes}>{symbol}{number}</span>"


def ledger_html(rows: list[Row]) -> str:
    """The table of all matrices: name, shape in letters, shape in numbers, how many values."""
    head = "".join(
        f"<th>{notation(f'heads.ledger.{name}')}</th>" for name in ("matrix", "letters", "shape", "values")
    )
    return f'<table class="am-ledger"><thead><tr>{head}</tr></thead><tbody>{"".join(map(_line, rows))}</tbody></table>'


def _line(row: Row) -> str:
    hue = {"query": "q", "key": "k", "value": "v", "weights": "w"}.get(row.step) or _SYMBOLS.get(
        row.step, ("", "", "x")
    )[2]
    each = f'<span class="am-times">{row.times} × </span>' if row.times > 1 else ""
    letters = (
        f'<span class="am-times"><i>h</i> × </span>{_maths(row.letters)}'
        if row.times > 1
        else _maths(row.letters)
    )
    shape = " × ".join(count(size) for size in row.shape)
    return (
        f'<tr><td class="{hue}">{_maths(row.name)}<small>{notation(f"heads.ledger.step.{row.step}")}</small></td>'
        f"<td>{letters}</td><td>{each}{shape}</td><td>{count(row.values)}</td></tr>"
    )


def _maths(symbol: str) -> str:
    """ "d_model" as a letter with a subscript."""
    return " ".join(
        "·".join(
            f"<i>{p[0]}</i><sub>{p[2:]}</sub>" if p[1:2] == "_" else f"<i>{p}</i>" for p in word.split("·")
        )
        for word in symbol.split(" ")
    )


def notation(key: str, **values: object) -> str:
    """A locale text as HTML: escaped, with "d_model" and "W_O" as letters with a subscript. Never for user text."""
    return _SUBSCRIPT.sub(r"<i>\1</i><sub>\2</sub>", escape(t(key, **values), quote=False))
