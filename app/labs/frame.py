"""The shape that all laboratories share: question, picture, knobs, explanation, the way to the stage, the code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import navigation, state, unlearned
from app.i18n import t

Draw = Callable[[], None]


def frame(
    name: str,
    *,
    picture: Draw,
    knobs: Draw,
    words: Draw,
    functions: Sequence[Callable[..., Any]],
    step: str | None = None,
    carry: Mapping[str, Any] | None = None,
    below: Draw | None = None,
    ratio: tuple[float, float] = (2.1, 1.0),
    pattern: bool = True,
) -> None:
    """Draw a laboratory. Its title is the text `lab.NAME.title`; `picture`, `knobs` and `words` draw their parts (the
    words refer to the numbers on the screen); `functions` are those of `models` that computed it; `step` is the step of
    the stage that shows the same state and `carry` the settings it needs for that; `below` draws what is wider than the
    picture; `pattern` says that the picture shows attention of weights that were not learned."""
    with st.container(key=f"lab_{name}", gap="small"):
        st.html(f"<h1>{t(f'lab.{name}.title')}</h1>")
        if pattern:
            unlearned.show()
        left, right = st.columns(list(ratio), gap="medium")
        with left, st.container(gap="small"):
            picture()
        with right, st.container(gap="small"):
            knobs()
            words()
            if step is not None:
                opened = st.button(
                    t("lab.open_stage"),
                    icon=":material/stairs_2:",
                    type="tertiary",
                    key=f"am.lab_stage_{name}",
                    on_click=_to_stage,
                    args=(step, carry or {}),
                )
                if opened:
                    navigation.go("step_through")
        if below is not None:
            below()
        _code(name, functions)


def _to_stage(step: str, carry: Mapping[str, Any]) -> None:
    state.update(**carry)
    state.select(step=step)


def _code(name: str, functions: Sequence[Callable[..., Any]]) -> None:
    with st.expander(t("lab.code"), icon=":material/code:", key=f"am.lab_code_{name}"):
        for function in functions:
            st.caption(f"{function.__module__.replace('.', '/')}.py")
            st.code(inspect.getsource(function).rstrip(), language="python")
