"""What a reader has to know about a model and its trace: sizes, licence, and what could not be seen."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import streamlit as st

from app.i18n import t
from app.notice import notice
from app.real.opening import Opened


def show_facts(now: Opened) -> None:
    """The model's sizes as a short list. Everything that comes from the model's files is escaped."""
    info = now.model.info
    rows = {
        "architecture": info.architecture,
        "layers": _layers(info.layers),
        "heads": f"{info.heads}"
        if info.heads == info.kv_heads
        else t("real.kv", heads=info.heads, kv=info.kv_heads),
        "sizes": f"d_model {info.d_model}, d_k {info.head_dim}",
        "positions": f"{info.positions}" + (f" · {info.max_positions:,}" if info.max_positions else ""),
        "parameters": f"{info.parameters:,} · {info.dtype}",
        "licence": info.licence or t("real.unknown"),
        "source": info.source,
    }
    items = "".join(
        f"<div><dt>{t(f'real.fact.{name}')}</dt><dd>{escape(str(value))}</dd></div>"
        for name, value in rows.items()
    )
    st.html(f'<dl class="am-facts">{items}</dl>')


def _layers(layers: Mapping[tuple[str, str], int]) -> str:
    """ "12", or how many layers every kind of attention has."""
    if len(layers) == 1:
        return str(next(iter(layers.values())))
    return ", ".join(
        f"{t(f'real.stack_{stream}_{kind}')} {count}" for (stream, kind), count in layers.items()
    )


def show_notes(now: Opened) -> None:
    """Tokens that were cut, attention that was not seen, calls that had to be followed or are weights alone."""
    cut = max(tokens.cut for tokens in now.trace.tokens.values())
    if cut:
        notice(t("real.cut", count=cut), "cut")
    if now.trace.tier > 1:
        notice(t(f"real.tier_{now.trace.tier}"), "tier")
    if now.trace.unseen:
        notice(t("real.unseen", names=", ".join(sorted(set(now.trace.unseen.values())))), "unseen")
