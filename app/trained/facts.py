"""What a reader has to know about a model and its trace: sizes, licence, and what could not be seen."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.i18n import t
from app.notice import notice
from app.trained.headline import stack_name
from app.trained.opening import Opened
from app.trained.stack import Name, Stack
from models.pretrained.catalogue import MEGABYTE
from models.pretrained.info import ModelInfo
from models.pretrained.labels import UNKNOWN, ModelTokens
from models.pretrained.layer_list import spans
from models.pretrained.model import LIMIT, ModelTrace


def show_facts(now: Opened) -> None:
    """The model's sizes as a short list. Everything that comes from the model's files is escaped."""
    info = now.model.info
    read = min(LIMIT, info.max_positions or LIMIT)
    rows = {
        "architecture": info.architecture,
        "parameters": f"{info.parameters:,} · {info.dtype}",
        "layers": layers_in_words(info),
        "heads": _heads(info),
        "sizes": f"d_model {info.d_model}, d_k {info.head_dim}",
        "positions": t(f"trained.positions.{info.positions}"),
        "limit": t("trained.limit", count=f"{read:,}"),
        "memory": t("trained.megabytes", size=_megabytes(now), dtype=info.computed_in),
        "licence": info.licence or t("trained.unknown"),
        "seen": t(f"trained.seen_{now.trace.tier}"),
        "source": info.source,
    }
    items = "".join(
        f'<div class="{name}"><dt>{t(f"trained.fact.{name}")}</dt><dd>{escape(str(value))}</dd></div>'
        for name, value in rows.items()
    )
    st.html(f'<dl class="am-facts">{items}</dl>')


def layers_in_words(info: ModelInfo) -> str:
    """ "12"; "2 of 4: 1, 3" where the others have no attention; for several kinds of attention one after the other."""
    counts = {name: _count(info, name) for name in info.layers}
    if len(counts) == 1:
        return next(iter(counts.values()))
    return ", ".join(f"{stack_name(name)} {count}" for name, count in counts.items())


def _count(info: ModelInfo, name: Name) -> str:
    others, count = info.others.get(name, {}), info.layers[name]
    if not others:
        return str(count)
    return t("trained.layers_some", count=count, total=count + len(others), layers=spans(info.numbers[name]))


def show_layer_notes(now: Opened, stack: Stack) -> None:
    """Which layers have no softmax attention and what they have instead, and which share one module."""
    info, comma = now.model.info, t("trained.comma")
    by_class: dict[str, list[int]] = {}
    for layer, name in info.others.get(stack.name, {}).items():
        by_class.setdefault(name, []).append(layer)
    notes = [t("trained.no_attention", layers=spans(layers), name=name) for name, layers in by_class.items()]
    if shared := info.shared.get(stack.name):
        notes.append(t("trained.shared", groups=comma.join(spans(group) for group in shared)))
    if notes:
        st.html(f'<ul class="am-notes">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>')


def _heads(info: ModelInfo) -> str:
    if info.ragged:
        return t("trained.ragged", heads=info.heads)
    return (
        str(info.heads)
        if info.heads == info.kv_heads
        else t("trained.kv", heads=info.heads, kv=info.kv_heads)
    )


def _megabytes(now: Opened) -> str:
    """What the loaded model takes; one copy serves all sessions."""
    tensors = now.model.module.parameters()
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors) / MEGABYTE
    return f"{size:,.0f}" if size >= 10 else f"{size:.1f}"


def show_reading(trace: ModelTrace) -> None:
    """How the model read its text, where that is not what is written: stand-ins for unknown text, special tokens. Of
    two texts the first with something to say speaks."""
    read = trace.tokens.values()
    tokens = next((found for found in read if any(found.unknown) or found.typed), None)
    if tokens is None:
        return
    if any(tokens.unknown):
        notice(unknown_words(tokens), "unknown")
    if tokens.typed:
        names = t("trained.comma").join(dict.fromkeys(token.label for token in tokens.typed))
        notice(t("trained.typed_special", names=names, count=len(tokens.typed)), "typed_special")


def unknown_words(tokens: ModelTokens) -> str:
    """How many pieces of the text the model does not know; what it read for them."""
    found = [token for token in tokens.pieces if token.unknown]
    total = sum(not token.special for token in tokens.pieces)
    key = "unknown_all" if len(found) == total else "unknown_some"
    return t(f"trained.{key}", count=len(found), total=total, piece=found[0].piece, mark=UNKNOWN)


def show_notes(now: Opened) -> None:
    """How the text was read, tokens that were cut, attention that was not seen, calls that had to be followed or are
    weights alone."""
    show_reading(now.trace)
    for tokens in {id(tokens): tokens for tokens in now.trace.tokens.values()}.values():
        if tokens.cut:
            notice(
                t("trained.cut", total=len(tokens) + tokens.cut, read=len(tokens), count=tokens.cut), "cut"
            )
            break
    if now.trace.tier > 1:
        notice(t(f"trained.tier_{now.trace.tier}"), "tier")
    broken = next((call for call in now.trace.calls if not call.finite), None)
    if broken is not None:
        notice(t("trained.not_finite", module=broken.name), "not_finite", problem=True)
    if now.trace.unseen:
        notice(t("trained.unseen", names=", ".join(sorted(set(now.trace.unseen.values())))), "unseen")
