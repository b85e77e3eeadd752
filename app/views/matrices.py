"""Edit X and the weight matrices, cell by cell or whole, and see what becomes of the attention."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from torch import Tensor

from app import matrix_editor, state
from app.i18n import t, words
from app.navigation import page
from app.notice import error_notice, notice
from app.session import Computed, computed, trace_of
from components.matrix import Hue, matrix
from components.theme import num
from models.edits import NAMES, Edits
from models.errors import InputError
from models.matrix_text import format_matrix, parse_matrix
from models.settings import MAX_SEED, PRESETS, Settings
from models.trace import Trace

EDITABLE_COLUMNS = 64
LISTED_CHANGES = 6
PASTED = "am.pasted"
HUES: dict[str, Hue] = {"embedding": "x", "w_q": "q", "w_k": "k", "w_v": "v", "w_o": "x"}


@dataclass(frozen=True)
class Opened:
    """The matrix that is open: as it is, as the preset has it (None if that has another shape), and its labels."""

    name: str
    value: Tensor
    original: Tensor | None
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def symbol(self) -> str:
        return t(f"matrices.name.{self.name}")

    @property
    def shape(self) -> tuple[int, int]:
        return (self.value.shape[0], self.value.shape[1])


def show() -> None:
    now = computed()
    st.title(t("matrices.title"), anchor=False)
    before = original_trace(now.settings)
    opened = open_matrix(now.trace, before, state.current().matrix)
    st.caption(explanation(now, opened))
    choose, act = st.columns([5, 6], vertical_alignment="bottom")
    with choose:
        st.segmented_control(
            t("matrices.choose"),
            NAMES,
            format_func=lambda name: f"${t(f'matrices.name.{name}')}$",
            required=True,
            label_visibility="collapsed",
            **state.bind("matrix"),
        )
    with act:
        _actions(opened, disabled=now.problem is not None)
    cells, effect = st.columns([11, 7], gap="medium")
    with cells, st.container(key="cells"):
        _cells(opened, now)
    with effect:
        _effect(now, before)


def original_trace(settings: Settings) -> Trace | None:
    """The trace with the preset's own matrices, or None if there is nothing else to compare with."""
    original = PRESETS[state.current().preset].edits
    return None if settings.edits == original else trace_of(replace(settings, edits=original)).trace


def open_matrix(trace: Trace, before: Trace | None, name: str) -> Opened:
    value = trace.tensor(name)
    original = value if before is None else before.tensor(name)
    numbers = tuple(str(i + 1) for i in range(max(value.shape)))
    rows, columns = numbers[: value.shape[0]], numbers[: value.shape[1]]
    if name == "embedding":
        rows = trace.labels("query")
    elif name == "w_o":
        rows = head_labels(trace.heads, trace.d_v)
    else:
        columns = head_labels(trace.heads, trace.d_v if name == "w_v" else trace.d_k)
    return Opened(name, value, original if original.shape == value.shape else None, rows, columns)


def head_labels(heads: int, size: int) -> tuple[str, ...]:
    """Names of the columns that the heads share out: "h2·1" is the first of the second head."""
    if heads == 1:
        return tuple(str(i + 1) for i in range(size))
    return tuple(t("matrices.column", head=h + 1, index=i + 1) for h in range(heads) for i in range(size))


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


# ---- what can be done with the whole matrix ------------------------------------------------------------------------


def _actions(opened: Opened, disabled: bool) -> None:
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        for action in (identity, reseed, reset_this):
            name = action.__name__
            st.button(
                t(f"matrices.{name}"),
                help=t(f"matrices.{name}_help"),
                on_click=action,
                args=(opened.name,),
                key=f"am.{name}",
                disabled=disabled,
            )
        st.button(t("matrices.reset_all"), on_click=reset_all, key="am.reset_all", disabled=disabled)
        with st.popover(t("matrices.paste"), disabled=disabled):
            _paste(opened)
        st.download_button(
            t("matrices.csv"),
            format_matrix(opened.value),
            file_name=f"{opened.name}.csv",
            mime="text/csv",
            on_click="ignore",
            key="am.csv",
        )


def identity(name: str) -> None:
    state.edit(state.settings().edits.with_base(name, "identity"))


def reseed(name: str) -> None:
    """Draw the matrix from the next seed."""
    settings = state.settings()
    edit = settings.edits.get(name)
    seed = settings.seed if edit is None or edit.seed is None else edit.seed
    state.edit(settings.edits.with_base(name, "reseed", (seed + 1) % MAX_SEED))


def reset_this(name: str) -> None:
    """Back to what the preset has."""
    original = PRESETS[state.current().preset].edits
    edits = dict(state.settings().edits.without(name))
    state.edit(Edits(edits | {name: original[name]} if name in original else edits))


def reset_all() -> None:
    state.edit(PRESETS[state.current().preset].edits)


def _paste(opened: Opened) -> None:
    rows, columns = opened.shape
    st.text_area(
        t("matrices.paste_label", rows=rows, columns=columns),
        placeholder=t("matrices.paste_placeholder"),
        height=150,
        width=380,
        key=PASTED,
        persist_state="session",
    )
    st.button(
        t("matrices.use"),
        on_click=use_pasted,
        args=(opened.name, opened.shape),
        key="am.use",
        type="primary",
    )
    problem = state.scratch("matrices").pop("paste", None)
    if isinstance(problem, InputError):
        error_notice(problem, "paste")
    elif problem:
        notice(t("matrices.used"), "paste")


def use_pasted(name: str, shape: tuple[int, int]) -> None:
    """Take over a pasted matrix; what is wrong with it is shown below the box."""
    try:
        values = parse_matrix(state.typed_text(PASTED), shape)
        state.edit(state.settings().edits.with_values(name, values))
        state.scratch("matrices")["paste"] = True
    except InputError as error:
        state.scratch("matrices")["paste"] = error


# ---- the cells and what they change --------------------------------------------------------------------------------


def _cells(opened: Opened, now: Computed) -> None:
    if opened.shape[1] <= EDITABLE_COLUMNS:
        matrix_editor.show(
            opened.name, opened.value, opened.rows, opened.columns, disabled=now.problem is not None
        )
    else:
        st.caption(t("matrices.too_wide", columns=opened.shape[1], limit=EDITABLE_COLUMNS))
        matrix(
            opened.value.numpy(),
            opened.rows,
            opened.columns,
            title=opened.symbol,
            text=words("matrix", label=opened.symbol),
            key="am.wide",
            hue=HUES[opened.name],
            height=430,
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
        title = t("matrices.weights" if before is None else f"matrices.weights_{which}", head=head + 1)
        matrix(
            trace["weights"].value[head].numpy(),
            trace.labels("query"),
            trace.labels("key"),
            title=title,
            text=words("matrix", label=title),
            key=f"am.weights.{which}",
            scale="weights",
            mask=None if trace.mask is None else trace.mask.numpy(),
            hue="w",
            row_hue="q",
            col_hue="k",
            height=215 if before else 300,
        )
    st.text(t("matrices.unedited") if before is None else largest_change(before, now.trace, head))
    st.page_link(
        page("step_through"),
        label=t("matrices.to_stage"),
        icon=":material/arrow_forward:",
        query_params=state.query(),
    )


def largest_change(before: Trace, after: Trace, head: int) -> str:
    """The weight that moved most, named by its tokens."""
    old, new = before["weights"].value[head], after["weights"].value[head]
    at = int((new - old).abs().argmax())
    i, j = divmod(at, new.shape[1])
    if old[i, j] == new[i, j]:
        return t("matrices.no_effect")
    query, key = after.labels("query")[i], after.labels("key")[j]
    return t(
        "matrices.moved", i=query, j=key, before=num(old[i, j].item(), 3), after=num(new[i, j].item(), 3)
    )
