"""The controls beside a training: which task, which seed, which sizes."""

from __future__ import annotations

import streamlit as st

from app import choices, state
from app.i18n import t
from app.labs.parts import bounds
from app.learn.training.setup import usable
from models.training.memory import parameters_of
from models.training.tasks import TASKS


def show() -> None:
    """Draw the controls; to be called inside `st.sidebar`."""
    choices.select(
        t("training.choose"),
        TASKS,
        lambda name: t(f"training.task.{name}"),
        state.knob("t_task")._replace(take=_choose),
    )
    task = TASKS[state.lab("t_task")]
    st.text(f"{task.example} → {task.answer(task.example)}")
    config = usable()[0].config
    st.caption(
        t(
            f"training.kind_{config.kind.replace('-', '_')}",
            layers=config.layers,
            heads=config.heads,
            d_model=config.d_model,
            numbers=f"{parameters_of(config):,}",
        )
    )
    st.number_input(
        t("sidebar.seed"),
        step=1,
        help=t("training.seed_help"),
        **bounds("t_seed"),
        **state.bind_knob("t_seed"),
    )
    with st.popover(t("training.sizes"), width="stretch", type="tertiary", icon=":material/tune:"):
        low, high = task.lengths
        st.caption(t("training.sizes_help", low=low, high=high))
        left, right = st.columns(2)
        for column, name in ((left, "d_model"), (right, "heads"), (left, "layers"), (right, "length")):
            column.number_input(
                t(f"training.size.{name}"),
                step=1,
                help=t("training.auto_help"),
                **bounds(f"t_{name}"),
                **state.bind_knob(f"t_{name}"),
            )
        st.number_input(
            t("training.rate"),
            step=0.001,
            format="%.4f",
            help=t("training.rate_help", rate=f"{task.recipe.rate:g}"),
            **bounds("t_rate"),
            **state.bind_knob("t_rate"),
        )


def _choose(task: str | None) -> None:
    """Another task: a text, a snapshot and a head of the one before mean nothing to it."""
    if task is not None:
        state.turn(t_task=task, t_text="", t_step=-1, t_head=-1, t_length=0)
