"""What can be done with a whole matrix: identity, other random numbers, back to the preset, paste, download."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import t
from app.learn.matrices.opened_matrix import Opened
from app.notice import error_notice, notice
from components.save_file import save_file
from models.edits import Edits
from models.errors import InputError
from models.matrix_text import format_matrix, parse_matrix
from models.settings import MAX_SEED, PRESETS

PASTED = "am.pasted"


def show_actions(opened: Opened, disabled: bool) -> None:
    """Buttons for the whole matrix: identity, reseed, reset, paste, download."""
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
        save_file(
            t("matrices.csv"),
            format_matrix(opened.value),
            name=f"{opened.name}.csv",
            mime="text/csv",
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
