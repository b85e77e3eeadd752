"""What the page of growing text says about a model that only reads, and the way to one that writes."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from app import state
from app.i18n import t, words
from app.model_view import with_model
from app.trained.grow import grow
from app.trained.headline import title
from app.trained.opening import traced
from app.trained.stack import Stack, current_stack, labels_of
from components.matrix import matrix, matrix_data
from components.theme import percent
from models.masks import causal
from models.pretrained import Model

WRITERS = ("smollm2", "en-pt", "repeat", "words-en")
HEIGHT = 390  # pixels


def offer_writers(model: Model) -> None:
    """Say why the model does not write, show it on one of its heads, and offer models that do."""
    sees_all = all(stream == "encoder" for stream, _ in model.info.layers)
    title(t("grow.title"), escape(t("grow.reads", model=model.info.name)))
    st.html(f'<p class="am-lead">{t("grow.reads_why" if sees_all else "grow.headless")}</p>')
    with st.container(horizontal=True, key="grow_writers"):
        for name in WRITERS:
            st.button(
                t(f"trained.short.{name}"),
                key=f"am.grow_open_{name}",
                type="primary" if name == WRITERS[0] else "secondary",
                on_click=_open,
                args=(name,),
            )
    if sees_all and (now := traced(model)) is not None:
        _show_both(current_stack(now.trace))


def _open(name: str) -> None:
    """Another model, at its example. The sidebar has to be drawn anew."""
    state.look(**asdict(with_model(state.model_view(), name)))
    grow.memory()["again"] = True


def _show_both(stack: Stack) -> None:
    """A head as it is, and what would be left of it if its queries could only look back."""
    if stack.call.queries != stack.call.keys:
        return
    weights = stack.call.weights(stack.head)
    left, right = st.columns(2, gap="medium")
    with left:
        share = later_share(weights)
        st.html(f"<h2>{t('grow.reader', layer=stack.layer, head=stack.head, share=percent(share))}</h2>")
        _matrix(weights, stack, "grow_reader")
    with right:
        st.html(f"<h2>{t('grow.blinkered')}</h2>")
        _matrix(looking_back(weights), stack, "grow_blinkered", mask=causal(len(weights)).numpy())


def later_share(weights: Tensor) -> float:
    """How much of the attention (N × N) goes to tokens after the query, on average."""
    return float(weights.triu(1).sum(-1).mean())


def looking_back(weights: Tensor) -> Tensor:
    """The weights (N × N) under a causal mask: softmax over fewer keys is the same weights, made to sum to 1 again."""
    seen = torch.nan_to_num(weights).tril()
    return seen / seen.sum(-1, keepdim=True).clamp_min(1e-30)


def _matrix(weights: Tensor, stack: Stack, key: str, **more: Any) -> None:
    rows, cols = labels_of(stack.call)
    matrix(
        matrix_data(
            weights.numpy(),
            rows,
            cols,
            title=t("trained.weights"),
            text=words("matrix", label=t("trained.weights_label"), tip="{row} → {col}   {value}"),
            scale="weights",
            hue="w",
            row_hue="q",
            col_hue="k",
            height=HEIGHT,
            channel="grow_readers",
            **more,
            clickable=False,
        ),
        key=key,
    )
