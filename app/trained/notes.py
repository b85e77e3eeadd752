"""What has to be said about one head of a trained model, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import streamlit as st

from app.i18n import t
from models.pretrained import AttentionCall
from models.pretrained.call.notes import AGREES

SIDES = ("query", "key", "value")
HALF = ("float16", "bfloat16")


def show_head_notes(call: AttentionCall, head: int, difference: float) -> None:
    """A short list below the numbers."""
    items = "".join(f"<li>{escape(note)}</li>" for note in head_notes(call, head, difference))
    st.html(f'<ul class="am-notes">{items}</ul>')


def head_notes(call: AttentionCall, head: int, difference: float) -> Iterator[str]:
    """The sentences, most important first; the module that computed it all comes last. `difference` is the call's
    `models.pretrained.call.notes.recomputed_difference`."""
    if call.tier == 3:
        yield t("trained.tier_3")
    else:
        yield from _exactness(call, difference)
        if call.kv_heads < call.heads:
            yield shared(call, head)
    if call.recorded.window is not None:
        yield t("trained.note.window", count=call.recorded.window)
    if call.recorded.sinks is not None:
        yield t("trained.note.sink")
    if call.recorded.module is not None or call.name:
        yield t("trained.note.module", name=call.title)


def shared(call: AttentionCall, head: int) -> str:
    """Which key–value head serves a query head, and whom else."""
    serving = call.kv_head(head)
    others = [f"H{other}" for other in range(call.heads) if call.kv_head(other) == serving]
    return t("trained.note.shared", head=head, serving=serving, heads=t("trained.comma").join(others))


def _exactness(call: AttentionCall, difference: float) -> Iterator[str]:
    """Where the numbers shown are not the model's own to the last digit."""
    if difference > AGREES.get(call.recorded.query.dtype, 1e-4):
        yield t("trained.note.differs", size=f"{difference:.1e}")
    dtype = str(call.recorded.query.dtype).removeprefix("torch.")
    if dtype in HALF:
        yield t("trained.note.half", dtype=dtype)
        return
    origins = {side: call.origin(side) for side in SIDES}
    missing = [t(f"trained.side.{side}") for side, origin in origins.items() if origin is None]
    if missing:
        yield t("trained.note.unknown_origin", names=t("trained.and").join(missing))
    deviations = [origin.deviation for origin in origins.values() if origin is not None]
    if deviations:
        yield t("trained.note.recomputed", size=f"{max(deviations):.1e}")
