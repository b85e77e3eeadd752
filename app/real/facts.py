"""What a reader has to know about a model and its trace: sizes, licence, and what could not be seen."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import streamlit as st

from app.i18n import t
from app.notice import notice
from app.real.headline import stack_name
from app.real.opening import Opened
from models.pretrained.catalogue import MEGABYTE
from models.pretrained.info import ModelInfo
from models.pretrained.model import LIMIT


def show_facts(now: Opened) -> None:
    """The model's sizes as a short list. Everything that comes from the model's files is escaped."""
    info = now.model.info
    read = min(LIMIT, info.max_positions or LIMIT)
    rows = {
        "architecture": info.architecture,
        "parameters": f"{info.parameters:,} · {info.dtype}",
        "layers": _layers(info.layers),
        "heads": _heads(info),
        "sizes": f"d_model {info.d_model}, d_k {info.head_dim}",
        "positions": t(f"real.positions.{info.positions}"),
        "limit": t("real.limit", count=f"{read:,}"),
        "memory": t("real.megabytes", size=_megabytes(now), dtype=info.computed_in),
        "licence": info.licence or t("real.unknown"),
        "seen": t(f"real.seen_{now.trace.tier}"),
        "source": info.source,
    }
    items = "".join(
        f'<div class="{name}"><dt>{t(f"real.fact.{name}")}</dt><dd>{escape(str(value))}</dd></div>'
        for name, value in rows.items()
    )
    st.html(f'<dl class="am-facts">{items}</dl>')


def _layers(layers: Mapping[tuple[str, str], int]) -> str:
    """ "12", or how many layers every kind of attention has."""
    if len(layers) == 1:
        return str(next(iter(layers.values())))
    return ", ".join(f"{stack_name(name)} {count}" for name, count in layers.items())


def _heads(info: ModelInfo) -> str:
    if info.ragged:
        return t("real.ragged", heads=info.heads)
    return (
        str(info.heads) if info.heads == info.kv_heads else t("real.kv", heads=info.heads, kv=info.kv_heads)
    )


def _megabytes(now: Opened) -> str:
    """What the loaded model takes; one copy serves all sessions."""
    tensors = now.model.module.parameters()
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors) / MEGABYTE
    return f"{size:,.0f}" if size >= 10 else f"{size:.1f}"


def show_notes(now: Opened) -> None:
    """Tokens that were cut, attention that was not seen, calls that had to be followed or are weights alone."""
    for tokens in {id(tokens): tokens for tokens in now.trace.tokens.values()}.values():
        if tokens.cut:
            notice(t("real.cut", total=len(tokens) + tokens.cut, read=len(tokens), count=tokens.cut), "cut")
            break
    if now.trace.tier > 1:
        notice(t(f"real.tier_{now.trace.tier}"), "tier")
    if now.trace.unseen:
        notice(t("real.unseen", names=", ".join(sorted(set(now.trace.unseen.values())))), "unseen")
