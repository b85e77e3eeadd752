"""Places worth starting from: each is true of the ready models, and tested."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import streamlit as st

from app import state
from app.i18n import t
from app.model_view import EXAMPLES as STARTS
from app.model_view import ModelView
from models.interventions.change import What
from models.pretrained.catalogue import READY_MODELS


@dataclass(frozen=True)
class Example:
    """What is looked at, what is done to the head, the token that is followed (−1: the likeliest before), and the heads
    that are off besides."""

    view: ModelView
    what: What
    token: int = -1
    besides: str = ""


TIGER = 21957  # " tiger" in the vocabulary of SmolLM2

EXAMPLES: dict[str, Example] = {
    # one edge of 270 heads makes the answer
    "paris": Example(
        ModelView(model="smollm2", text="The capital of France is", layer=23, head=4, i=4, j=3), "edge"
    ),
    # it looks at a word so that the word is not said
    "against": Example(
        ModelView(model="smollm2", text="The password is tiger. The password is", layer=24, head=4, i=7, j=3),
        "edge",
        TIGER,
    ),
    # a head that looks at the token before and is needed by those that copy
    "helper": Example(
        replace(STARTS["smollm2"], layer=16, head=0, i=13, j=12),
        "off",
    ),
    # almost all attention on the right word, and no effect
    "nothing": Example(
        STARTS["en-pt"],
        "edge",
    ),
    # four heads that do the same: any one of them is enough
    "spare": Example(
        replace(STARTS["repeat"], layer=1, head=0, i=19, j=4),
        "off",
        besides="1.1,1.2,1.3",
    ),
}
FIRST = "paris"


def show_examples() -> None:
    """One button per example of the open model; those of others stand apart, each with its model's name."""
    open_now = state.model_view().model
    own = [name for name, example in EXAMPLES.items() if example.view.model == open_now]
    with st.container(horizontal=True, key="cause_examples"):
        for name in own:
            st.button(t(f"cause.example.{name}"), key=f"am.cause_{name}", on_click=open_example, args=(name,))
        with st.popover(t("cause.other_examples"), icon=":material/swap_horiz:", type="tertiary"):
            for name, example in EXAMPLES.items():
                if name not in own:
                    label = f"{t(f'trained.short.{example.view.model}')} · {t(f'cause.example.{name}')}"
                    st.button(label, key=f"am.cause_{name}", on_click=open_example, args=(name,))


def open_example(name: str) -> None:
    """Look at an example, shown in the reader's way."""
    example, shown = EXAMPLES[name], state.model_view()
    view = replace(example.view, words=shown.words, special=shown.special, sink=shown.sink)
    state.look(**{field.name: getattr(view, field.name) for field in fields(view)})
    state.scratch("cause").update(model=view.model, known=view.model)
    state.turn(x_what=example.what, x_at=-1, x_token=example.token, x_off=example.besides, x_scan=False)


def begin_with_an_example() -> None:
    """Whoever comes here without having chosen a model, a text or a head sees the first example. Choosing the app's
    first model on this page keeps it: `x_stay` says so in the address."""
    memory = state.scratch("cause")
    before = memory.get("model") if memory.get("visit") == state.visit() else None
    view = state.model_view()
    memory.update(visit=state.visit(), model=view.model)
    if memory.setdefault("known", view.model) != view.model:  # what was chosen belongs to another model
        state.turn(x_at=-1, x_token=-1, x_off="")
        memory.update(known=view.model)
    if view.model != ModelView().model or state.lab("x_stay"):
        return
    if before is not None and before != view.model:
        state.turn(x_stay=True)
    elif view == ModelView() and READY_MODELS[EXAMPLES[FIRST].view.model].ready:
        open_example(FIRST)
        st.rerun()
