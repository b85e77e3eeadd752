"""Edit X and the weight matrices, cell by cell or whole, and see what becomes of the attention."""

from __future__ import annotations

import streamlit as st

from app import choices, navigation, state, unlearned
from app.i18n import t, words
from app.learn.matrices import editor as matrix_editor
from app.learn.matrices.actions import show_actions
from app.learn.matrices.opened_matrix import Opened, open_matrix, original_trace
from app.notice import error_notice
from app.session import Computed, computed
from app.weights import weights
from components.matrix import Hue, matrix, matrix_data
from components.theme import num
from models.edits import NAMES
from models.errors import InputError
from models.rounding import ROUNDING
from models.trace import Trace

EDITABLE_COLUMNS = 64
LISTED_CHANGES = 6
HUES: dict[str, Hue] = {"embedding": "x", "w_q": "q", "w_k": "k", "w_v": "v", "w_o": "x"}


def show() -> None:
    now = computed()
    st.title(t("matrices.title"), anchor=False)
    before = original_trace(now.settings)
    opened = open_matrix(now.trace, before, state.current().matrix)
    st.caption(explanation(now, opened))
    unlearned.show()
    choose, act = st.columns([4, 7], vertical_alignment="bottom")
    with choose:
        choices.segments(
            t("matrices.choose"),
            NAMES,
            lambda name: f"${t(f'matrices.name.{name}')}$",
            state.field("matrix"),
            required=True,
            label_visibility="collapsed",
        )
    with act:
        show_actions(opened, disabled=now.problem is not None)
    cells, effect = st.columns([11, 7], gap="medium")
    with cells, st.container(key="cells"):
        _cells(opened, now)
    with effect:
        _effect(now, before)


def explanation(now: Computed, opened: Opened) -> str:
    """What this matrix is for, with the sizes on the screen."""
    trace = now.trace
    values = {"columns": opened.shape[1], "heads": trace.heads, "d": trace.d_model}
    size = trace.d_v if opened.name in ("w_v", "w_o") else trace.d_k
    text = t(f"matrices.about.{opened.name}", **values, size=size)
    if opened.name != "embedding" and trace.heads > 1:
        text += t(f"matrices.about.{'rows' if opened.name == 'w_o' else 'columns'}")
    if opened.name == "embedding" and "position" in trace:
        text += t("matrices.about.positions")
    return text


def _cells(opened: Opened, now: Computed) -> None:
    if opened.shape[1] <= EDITABLE_COLUMNS:
        matrix_editor.show(
            opened.name, opened.value, opened.rows, opened.columns, disabled=now.problem is not None
        )
    else:
        st.caption(t("matrices.too_wide", columns=opened.shape[1], limit=EDITABLE_COLUMNS))
        matrix(
            matrix_data(
                opened.value.numpy(),
                opened.rows,
                opened.columns,
                title=opened.symbol,
                text=words("matrix", label=opened.symbol),
                hue=HUES[opened.name],
                height=430,
                clickable=False,
            ),
            key="am.wide",
        )
    problem = state.scratch("matrices").pop("cell", None)
    if isinstance(problem, InputError):
        error_notice(problem, "cell")
    if text := changes(opened):
        st.text(text)


def changes(opened: Opened) -> str:
    """Which cells differ from the preset's, one by one if there are only a few; "" if none does."""
    cells = changed_cells(opened)
    if len(cells) > LISTED_CHANGES:
        return t("matrices.many_changed", count=len(cells), total=opened.value.numel())
    return t("matrices.changed", cells=t("matrices.list").join(cells)) if cells else ""


def changed_cells(opened: Opened) -> list[str]:
    """Every cell that differs from the preset's matrix, as "row, column: before → after"."""
    if opened.original is None:
        return []
    return [
        t(
            "matrices.change",
            row=opened.rows[i],
            column=opened.columns[j],
            before=num(opened.original[i, j].item()),
            after=num(opened.value[i, j].item()),
        )
        for i, j in (opened.original != opened.value).nonzero().tolist()
    ]


def _effect(now: Computed, before: Trace | None) -> None:
    """The attention weights of the chosen head, before and after."""
    head = min(state.view().head, now.trace.heads - 1)
    pictures = [("after", now.trace)] if before is None else [("before", before), ("after", now.trace)]
    for which, trace in pictures:
        title = t("matrices.weights" if before is None else f"matrices.weights_{which}", head=head)
        weights(trace, head, title=title, key=f"am.weights.{which}", height=215 if before else 300)
    st.text(t("matrices.unedited") if before is None else largest_change(before, now.trace, head))
    navigation.link("step_through", t("matrices.to_stage"), ":material/arrow_forward:")


def largest_change(before: Trace, after: Trace, head: int) -> str:
    """The weight that moved most, named by its tokens."""
    old, new = before["weights"].value[head], after["weights"].value[head]
    at = int((new - old).abs().argmax())
    i, j = divmod(at, new.shape[1])
    if float((new[i, j] - old[i, j]).abs()) <= ROUNDING[old.dtype]:  # weights are of size 1 at most
        return t("matrices.no_effect")
    query, key = after.labels("query")[i], after.labels("key")[j]
    return t(
        "matrices.moved", i=query, j=key, before=num(old[i, j].item(), 3), after=num(new[i, j].item(), 3)
    )
