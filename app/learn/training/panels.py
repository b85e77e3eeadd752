"""What the chosen snapshot does on one text: its answer, the maps of all heads, one head's weights and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from app import state
from app.i18n import t, words
from app.learn.training.pictures import Picture
from app.trained.pictures import draw_pictures
from components.head_grid import head_grid, head_grid_data
from components.matrix import Hue, Selection, matrix, matrix_data
from models.attention import MultiHeadAttention
from models.pretrained.call import AttentionCall
from models.training.run import TrainingRun
from models.training.trainer import attentions
from models.transformer.model import Place

CHANNEL = "training"
MAPS, SEVERAL = 400, 480  # pixels for the maps of one stack, and of all of several
WEIGHTS, MATRIX = 430, 330
MATRICES = ("w_q", "w_k", "w_v")
HUES: dict[str, Hue] = {"w_q": "q", "w_k": "k", "w_v": "v"}


def show_answer(picture: Picture) -> None:
    """The text, and below each place what the model says there: right, wrong, or not asked."""
    cells = []
    for answer in picture.answers:
        if answer.right:
            verdict = "am-right" if answer.said == answer.right else "am-wrong"
            title = escape(
                t(
                    "training.answer_tip",
                    said=answer.said,
                    right=answer.right,
                    share=f"{answer.probability:.0%}",
                )
            )
            below = f'<b class="{verdict}" title="{title}">{escape(answer.said)}</b>'
        else:
            below = "<b>·</b>"
        cells.append(f"<span><i>{escape(answer.read)}</i>{below}</span>")
    asked = [answer for answer in picture.answers if answer.right]
    right = sum(answer.said == answer.right for answer in asked)
    lead = escape(t("training.answer", right=right, asked=len(asked)))
    st.html(f'<div class="am-answer"><p>{lead}</p><div>{"".join(cells)}</div></div>')


def show_maps(picture: Picture, place: Place, head: int) -> None:
    """All heads of all stacks, small; a click chooses one."""
    stacks = picture.stacks
    layers = sum(len(calls) for calls in stacks.values())
    for name, calls in stacks.items():
        if len(stacks) > 1:
            st.html(f'<p class="am-stack">{t("trained.stack_" + "_".join(name))}</p>')
        chosen = place.layer * calls[0].heads + head if (place.stream, place.kind) == name else None
        _grid(name, calls, chosen, round((SEVERAL if len(stacks) > 1 else MAPS) * len(calls) / layers))


def _grid(name: tuple[str, str], calls: Sequence[AttentionCall], chosen: int | None, height: int) -> None:
    drawn, heads = draw_pictures(calls, {}), calls[0].heads
    keys = calls[0].keys

    def choose(index: int) -> None:
        state.turn(t_stream=name[0], t_kind=name[1], t_layer=index // heads, t_head=index % heads)

    head_grid(
        head_grid_data(
            drawn.codes,
            [f"L{layer} H{head}" for layer in range(len(calls)) for head in range(heads)],
            keys=keys,
            strongest=drawn.strongest,
            row_tokens=calls[0].query_labels or (),
            col_tokens=calls[0].key_labels or (),
            text=words("head_grid", even=t("components.head_grid.even", keys=keys), pooled=""),
            selected=-1 if chosen is None else chosen,
            columns=heads,
            row_names=[f"L{layer}" for layer in range(len(calls))],
            column_names=[f"H{head}" for head in range(heads)],
            height=height,
            channel=f"{CHANNEL}_{'_'.join(name)}",
        ),
        key=f"training_grid_{'_'.join(name)}",
        on_select=choose,
    )


def show_head(call: AttentionCall, head: int) -> None:
    """The weights of the chosen head on the text."""
    visible = call.visible(head)

    def look(cell: Selection) -> None:
        state.turn(t_i=cell.row, t_j=cell.col)

    matrix(
        matrix_data(
            call.weights(head).numpy(),
            call.query_labels,
            call.key_labels,
            title=t("training.weights", layer=call.layer, head=head),
            text=words("matrix", label=t("trained.weights_label"), tip="{row} → {col}   {value}"),
            scale="weights",
            mask=None if visible is None else visible.numpy(),
            hue="w",
            row_hue="q",
            col_hue="k",
            selected=(min(state.lab("t_i"), call.queries - 1), min(state.lab("t_j"), call.keys - 1)),
            height=WEIGHTS,
        ),
        key="training_weights",
        on_select=look,
    )


def show_matrices(run: TrainingRun | None, call: AttentionCall, place: Place, head: int) -> None:
    """W_Q, W_K and W_V of the chosen head: as they are, how far they have moved, or the gradient that reached them."""
    what = state.lab("t_what")
    module = call.recorded.module
    assert isinstance(module, MultiHeadAttention)
    now = {name: getattr(module, name).detach() for name in MATRICES}
    if what == "moved" and run is not None:
        started = attention_at(run, place)
        now = {name: now[name] - getattr(started, name).detach() for name in MATRICES}
    elif what == "gradient":
        now = {} if run is None else run.gradients(place)
    if not now or (what == "moved" and run is None):
        st.text(t("training.nothing_yet"))
        return
    columns = slice(head * module.d_k, (head + 1) * module.d_k)
    for column, name in zip(st.columns(3, gap="small"), MATRICES, strict=True):
        with column:
            matrix(
                matrix_data(
                    np.ascontiguousarray(now[name][:, columns].numpy()),
                    None,
                    None,
                    title="∂W" if what == "gradient" else "ΔW" if what == "moved" else "W",
                    subscript=name[-1].upper(),
                    text=words(
                        "matrix", label=t("training.matrix_label", name=name), tip="{row}, {col}   {value}"
                    ),
                    hue=HUES[name],
                    height=MATRIX,
                    clickable=False,
                ),
                key=f"training_{name}",
            )


def attention_at(run: TrainingRun, place: Place) -> MultiHeadAttention:
    """An attention of the untrained model."""
    model = run.model_at(0)
    found: MultiHeadAttention = dict(zip(model.places(), attentions(model), strict=True))[place]
    return found
