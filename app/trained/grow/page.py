"""A text that grows: the model writes one token at a time, and its attention pattern gains a row with each."""

from __future__ import annotations

import streamlit as st

from app import address, state
from app.guarded import guarded
from app.i18n import t, words
from app.notice import error_notice
from app.trained.axes import axes_of
from app.trained.facts import show_reading
from app.trained.grow import grow
from app.trained.grow.grow import Growing, act, opened_text
from app.trained.grow.panels import Act, show_buttons, show_candidates, show_numbers, show_rule, show_text
from app.trained.grow.readers import offer_writers
from app.trained.grow.stack import best_heads, growing_stack, show_chips, show_choice
from app.trained.grow.whole import show_way
from app.trained.headline import title
from app.trained.opening import Opened
from app.trained.preferred import begin_with
from app.trained.shown import shown_mask, shown_weights
from app.trained.stack import Stack
from components.matrix import Selection, matrix, matrix_data
from models.errors import InputError
from models.pretrained.catalogue import READY_MODELS

HEIGHT = 372  # pixels of the matrix: with text and candidates it fits a laptop's screen
PACE = 0.3  # seconds between tokens that are written by themselves


def show() -> None:
    """Draw the page. It is a fragment: a click draws the page and not the sidebar."""
    begin_with(_writer(), "grow_model", "w_stay")
    memory = grow.memory()
    if memory.get("visit") != state.visit():  # whoever comes back does not find a text that runs on
        memory.update(visit=state.visit(), playing=False)
    memory["paced"] = memory["playing"]
    st.fragment(_guarded, run_every=PACE if memory["playing"] else None)()


def _writer() -> str:
    """Which model to begin with: the language model if it is here, else one that comes with the app."""
    return "smollm2" if READY_MODELS["smollm2"].ready else "repeat"


def _guarded() -> None:
    """Draws what is written so far."""
    memory = grow.memory()
    if memory.pop("again", False) or memory["paced"] != memory["playing"]:
        st.rerun()  # with another sidebar or another pace: both take a run of the whole page
    guarded(_draw, "grow")
    address.write()


def _draw() -> None:
    now = opened_text()
    if now is None:
        return
    with st.container(key="model_grow", gap="small"):
        if not isinstance(now, Growing):
            offer_writers(now)
            return
        if isinstance(problem := grow.memory().pop("problem", None), InputError):
            error_notice(problem, "grow")
        now = _played(now)
        stack = growing_stack(now.draft.trace)
        show_reading(now.draft.trace)
        _header(now, stack)
        show_buttons(now, _acting(now))
        show_text(now, stack, lambda row: _look(row, stack.call.queries))
        left, right = st.columns([1.3, 1], gap="medium")
        with left, st.container(gap="small"):
            show_choice(now, stack)
            _matrix(now, stack)
            show_chips(best_heads(now, stack))
        with right, st.container(gap="small"):
            show_rule()
            show_candidates(now, _acting(now))
            show_numbers(now)


def _header(now: Growing, stack: Stack) -> None:
    name, link = st.columns([4.6, 1])
    with name:
        title(t("grow.title"), t("grow.lead_cross" if stack.name[1] == "cross" else "grow.lead"))
    with link:
        show_way(now, stack)


def _acting(now: Growing) -> Act:
    """What buttons do. Whoever clicks takes over from the model that writes by itself."""

    def do(action: str, token: int) -> None:
        memory = grow.memory()
        memory.update(playing=action == "play", left=grow.PLAYED, rested=False, lost=False)
        try:
            if action not in ("play", "pause"):
                act(now, action, token)
        except InputError as error:
            memory["problem"] = error

    return do


def _played(now: Growing) -> Growing:
    """One token more if the model writes by itself; it rests at the end, and after many tokens."""
    memory = grow.memory()
    if not memory.get("playing"):
        return now
    left = int(str(memory["left"])) - 1
    now = grow.shown(now, grow.longer(now.draft, 1))
    memory["left"] = left
    if now.draft.ended or now.draft.full or left == 0:
        memory.update(playing=False, rested=left == 0)
    return now


def _look(row: int, rows: int) -> None:
    """Look at where a token looks; the newest stays the newest."""
    state.turn(w_row=grow.NEWEST if row >= rows - 1 else row, w_col=grow.STRONGEST)


def _matrix(now: Growing, stack: Stack) -> None:
    rows, cols = axes_of(Opened(now.model, now.draft.trace, now.key), stack)

    def look(cell: Selection) -> None:
        state.turn(w_row=rows.token_at(cell.row), w_col=cols.token_at(cell.col))

    matrix(
        matrix_data(
            shown_weights(stack.call.weights(stack.head), rows, cols),
            rows.labels,
            cols.labels,
            title=t("trained.weights"),
            text=words("matrix", label=t("trained.weights_label"), tip="{row} → {col}   {value}"),
            scale="weights",
            mask=shown_mask(stack.call.visible(stack.head), rows, cols),
            hue="w",
            row_hue="q",
            col_hue="k",
            selected=(rows.place_of(stack.i) or 0, cols.place_of(stack.j) or 0),
            height=HEIGHT,
            channel="grow",
            head=stack.head,
        ),
        key="grow_matrix",
        on_select=look,
    )
