"""Train, pause, go on, start over; how far it is; and what stands in the way."""

from __future__ import annotations

import streamlit as st

from app import state
from app.i18n import error_text, t
from app.learn.training import runs
from app.learn.training.given import differs, look_at
from app.learn.training.setup import Setup
from app.notice import notice
from models.errors import InputError
from models.training.checkpoint import SHIPPED, shipped
from models.training.run import ENDED, TrainingRun


def show_controls(setup: Setup, run: TrainingRun | None) -> None:
    """The buttons beside each other, and one line of what is going on."""
    with st.container(horizontal=True, vertical_alignment="center", key="training_controls"):
        _main_button(setup, run)
        if run is not None and run.status not in ENDED:
            st.button(t("training.stop"), icon=":material/stop:", key="am.train_stop", on_click=run.stop)
        if run is not None or runs.taken(setup) is not None:
            st.button(
                t("training.back" if run is None and runs.has_own(setup) else "training.reset"),
                icon=":material/restart_alt:",
                key="am.train_reset",
                on_click=_reset,
                args=(setup,),
            )
        elif _is_shipped(setup):
            st.button(
                t("training.finished_one"),
                icon=":material/check:",
                key="am.train_shipped",
                on_click=_take,
                args=(setup,),
            )
        st.text(status_line(setup, run))
    if differs(setup):
        notice(t("training.other_model"), "training_other_model")
    show_problems(run)


def _main_button(setup: Setup, run: TrainingRun | None) -> None:
    status = None if run is None else run.status
    if run is not None and status in ("running", "waiting"):
        st.button(
            t("training.pause"),
            icon=":material/pause:",
            type="primary",
            key="am.train_pause",
            on_click=run.pause,
        )
    elif run is not None and status == "paused":
        st.button(
            t("training.resume"),
            icon=":material/play_arrow:",
            type="primary",
            key="am.train_resume",
            on_click=_resume,
            args=(run,),
        )
    else:
        st.button(
            t("training.train" if run is None else "training.again"),
            icon=":material/play_arrow:",
            type="primary",
            key="am.train",
            on_click=_begin,
            args=(setup,),
        )


def status_line(setup: Setup, run: TrainingRun | None) -> str:
    """ "step 320 of 1,200 · loss 0.42 · 93 % right · 14 steps a second"."""
    if run is None:
        trained = runs.taken(setup)
        if trained is not None:
            return t("training.taken", step=f"{trained.step:,}", seed=trained.seed)
        return t("training.untrained", steps=f"{setup.task.recipe.steps:,}")
    if run.status == "waiting":
        return t("training.waiting", ahead=run.ahead)
    report = run.history[-1] if run.history else None
    if report is None:
        return t("training.starting")
    return t(
        f"training.status_{run.status}",
        step=f"{report.step:,}",
        steps=f"{run.recipe.steps:,}",
        loss=f"{report.loss:.3f}",
        accuracy=f"{report.accuracy:.1%}",
        seconds=f"{report.seconds:.0f}",
        speed=f"{run.steps_per_second:.0f}",
    )


def show_problems(run: TrainingRun | None) -> None:
    """Why it ended early, why it could not begin, and a training of another setup that is going on."""
    memory = state.scratch("training")
    if (refused := memory.pop("refused", None)) is not None:
        notice(error_text(refused), "training_refused", problem=True)
    if run is not None and (problem := run.problem) is not None:
        notice(error_text(problem), "training_problem", problem=True)
    other = runs.running()
    if other is not None and other is not run:
        task = t(f"training.task.{other.task.name}")
        notice(t("training.other_running", task=task), "training_other")


def _begin(setup: Setup) -> None:
    state.turn(t_step=-1)
    try:
        runs.begin(setup)
    except InputError as error:
        state.scratch("training")["refused"] = error


def _resume(run: TrainingRun) -> None:
    """Go on, and look at what is newest."""
    state.turn(t_step=-1)
    run.resume()


def _reset(setup: Setup) -> None:
    runs.forget(setup)
    state.turn(t_step=-1)


def _is_shipped(setup: Setup) -> bool:
    return setup.task.name in SHIPPED and setup.config == setup.task.config


def _take(setup: Setup) -> None:
    look_at(shipped(setup.task.name))
