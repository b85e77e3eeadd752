"""Watch attention being learned: a small transformer is trained while its heads and weights are looked at."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import address, choices, state
from app.guarded import guarded
from app.i18n import t
from app.learn.training import panels, runs
from app.learn.training.controls import show_controls
from app.learn.training.files import show_files
from app.learn.training.history import show_history
from app.learn.training.links import show_links
from app.learn.training.pictures import Picture, picture
from app.learn.training.setup import Setup, example_of, readable_text, usable
from app.notice import error_notice, notice
from app.trained.headline import title
from models.errors import InputError
from models.transformer.model import Place

EVERY = 1.5  # seconds between looks at a training that is going on


def show() -> None:
    """Draw the page."""
    st.html(Path(__file__).with_name("training.css"))
    setup, problem = usable()
    run = runs.run_of(setup)
    active = run is not None and run.status in ("running", "waiting")
    with st.container(key="training", gap="small"):
        title(t("training.title"), t(f"training.lead.{setup.task.name}"))
        _setup_problem(problem)
        st.fragment(_guarded, run_every=EVERY if active else None)(setup, active)
    show_files(setup)


def _guarded(setup: Setup, active: bool) -> None:
    guarded(lambda: _live(setup, active), "training")
    address.write()


def _live(setup: Setup, active: bool) -> None:
    """All that moves. When the training has ended or begun, the whole page is drawn anew: it then looks more seldom."""
    run = runs.run_of(setup)
    if (run is not None and run.status in ("running", "waiting")) != active:
        st.rerun()
    show_controls(setup, run)
    seen, given = runs.seen(setup, state.lab("t_step")), runs.taken(setup)
    text, problem = readable_text(setup.task)
    drawn = picture(seen, text)
    place, head = looked_at(drawn)
    left, right = st.columns([1.35, 1], gap="medium")
    with left, st.container(gap="small"):
        if given is None:  # a file has no history
            show_history(run, setup, seen, text, place)
    with right, st.container(gap="small"):
        _goal(drawn)
        panels.show_maps(drawn, place, head)
    with left if len(drawn.stacks) > 1 or given is not None else right:  # where there is room
        _text(setup, problem)
        panels.show_answer(drawn)
    _below(setup, text, drawn, place, head)


def _below(setup: Setup, text: str, drawn: Picture, place: Place, head: int) -> None:
    run = runs.run_of(setup)
    call = drawn.stacks[place.stream, place.kind][place.layer]
    left, right = st.columns([1, 1.1], gap="medium")
    with left:
        panels.show_head(call, head)
    with right, st.container(gap="small", key="training_matrices"):
        choices.segments(
            t("training.what"),
            ["weights", "moved", "gradient"],
            lambda name: t(f"training.what_{name}"),
            state.knob("t_what"),
            required=True,
            label_visibility="collapsed",
        )
        panels.show_matrices(run, call, place, head)
        st.caption(t(f"training.help_{state.lab('t_what')}"))
    show_links(text, call, head)


def looked_at(drawn: Picture) -> tuple[Place, int]:
    """The head that was chosen; until one is, the one that comes nearest to the task's right attention."""
    stream, kind = state.lab("t_stream"), state.lab("t_kind")
    calls = drawn.stacks.get((stream, kind))
    if calls is None or state.lab("t_head") < 0:
        layer, head, _ = drawn.best
        return Place(drawn.goal.stream, drawn.goal.kind, layer), head
    layer = min(max(0, state.lab("t_layer")), len(calls) - 1)
    return Place(stream, kind, layer), min(state.lab("t_head"), calls[layer].heads - 1)


def _goal(drawn: Picture) -> None:
    """How near the best head is to the attention that solves the task."""
    layer, head, share = drawn.best
    stack = t(f"trained.stack_{drawn.goal.stream}_{drawn.goal.kind}")
    st.html(
        f'<p class="am-small">{t("training.best", layer=layer, head=head, share=f"{share:.0%}", stack=stack)}</p>'
    )


def _setup_problem(problem: InputError | None) -> None:
    """Why the chosen sizes fit no model. What is below is trained as before."""
    if problem is None:
        return
    if problem.key == "heads_do_not_divide":
        notice(t("training.heads_do_not_divide", **problem.values), "training_setup", problem=True)
    else:
        error_notice(problem, "training_setup")


def _text(setup: Setup, problem: InputError | None) -> None:
    st.text_input(
        t("training.text"),
        placeholder=example_of(setup.task),
        label_visibility="collapsed",
        max_chars=200,
        **state.bind_knob("t_text"),
    )
    if problem is not None:
        error_notice(problem, "training_text")
