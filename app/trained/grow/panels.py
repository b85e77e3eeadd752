"""The parts of the page that grows a text: buttons, the text, the candidates, the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

import numpy as np
import streamlit as st
import torch

from app import choices, state
from app.i18n import t, words
from app.labs.parts import bounds
from app.trained.grow import grow
from app.trained.grow.grow import Growing
from app.trained.stack import Stack
from components.token_choice import token_choice, token_choice_data
from components.token_text import Line, token_text, token_text_data
from models.errors import InputError
from models.generation import candidates
from models.generation.choice import choose, draw, probabilities
from models.pretrained.own import OwnModel

Act = Callable[[str, int], None]
CONTEXT = 8  # tokens before a candidate that its label may depend on: one character has no more bytes


def show_buttons(now: Growing, act: Act) -> None:
    """Next, ten more, play, back, start over."""
    draft = now.draft
    stopped = draft.ended or draft.full
    playing = bool(grow.memory().get("playing"))
    button = partial(st.button, on_click=act)
    with st.container(horizontal=True, vertical_alignment="bottom", key="grow_buttons"):
        button(t("grow.next"), key="am.grow_next", type="primary", disabled=stopped, args=("next", 0))
        button(t("grow.many", count=grow.MANY), key="am.grow_many", disabled=stopped, args=("many", 0))
        button(
            t("grow.pause" if playing else "grow.play"),
            key="am.grow_play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            disabled=stopped,
            args=("pause" if playing else "play", 0),
        )
        button(
            t("grow.back"),
            key="am.grow_back",
            icon=":material/undo:",
            disabled=not draft.written,
            args=("back", 0),
        )
        button(t("grow.over"), key="am.grow_over", disabled=not draft.written, args=("over", 0))


def show_rule() -> None:
    """How the next token is chosen, beside the title of the candidates."""
    with st.container(horizontal=True, vertical_alignment="center", key="grow_rule"):
        st.html(f"<h2>{t('grow.candidates')}</h2>")
        choices.segments(
            t("grow.mode"),
            ("greedy", "sampled"),
            lambda mode: t(f"grow.{mode}"),
            state.knob("w_mode"),
            required=True,
            label_visibility="collapsed",
        )
    if grow.rule().sampled:
        with st.container(horizontal=True, key="grow_chance"):
            st.number_input(
                t("grow.temperature"),
                step=0.1,
                format="%.2f",
                **bounds("w_temp"),
                **state.bind_knob("w_temp"),
            )
            st.number_input(t("grow.seed"), step=1, **bounds("w_seed"), **state.bind_knob("w_seed"))


def show_text(now: Growing, stack: Stack, on_pick: Callable[[int], None]) -> None:
    """The text so far; tinted by where the row that is looked at looks."""
    draft, tokens = now.draft, now.draft.tokens
    shares = stack.call.weights(stack.head, rows=torch.tensor([stack.i]))[0].numpy()
    own = stack.name[1] == "self"
    source = draft.prompt.source
    apart = isinstance(now.model, OwnModel)
    written = Line(
        t("grow.target") if source is not None else "",
        tokens.labels,
        len(draft.prompt.ids),
        draft.chances,
        np.pad(shares, (0, len(tokens) - len(shares))) if own else None,
        stack.i,
        open=not (draft.ended or draft.full),
        picks=True,
        apart=apart,
    )
    lines = [written]
    if source is not None:
        lines.insert(
            0, Line(t("grow.source"), source.labels, len(source), (), None if own else shares, apart=apart)
        )
    token_text(
        token_text_data(lines, keys=stack.call.keys, text=words("token_text")),
        key="grow_text",
        on_pick=on_pick,
    )


def show_candidates(now: Growing, act: Act) -> None:
    """What may come next, and what the rule will take."""
    draft, rule = now.draft, grow.rule()
    if draft.ended or draft.full:
        key = "grow.ended" if draft.ended else "grow.full"
        st.html(f'<p class="am-small">{t(key, room=f"{draft.writer.room:,}")}</p>')
        return
    try:
        found = candidates(draft.logits, grow.shown_temperature())
        taken = choose(draft.logits, rule, len(draft.written))
    except InputError as error:
        st.text(t(f"errors.{error.key}"))
        return
    token_choice(
        token_choice_data(
            [candidate_label(now, token) for token in found.ids],
            found.probabilities,
            found.rest,
            next_one=found.ids.index(taken) if taken in found.ids else None,
            drawn=draw(rule.seed, len(draft.written)) if rule.sampled else None,
            text=words("token_choice", rest=t("grow.rest", count=f"{found.others:,}")),
        ),
        key="grow_candidates",
        on_take=lambda place: act("take", found.ids[place]),
    )
    if taken not in found.ids:
        chance = float(probabilities(draft.logits, rule.temperature)[taken])
        other = t("grow.other", token=candidate_label(now, taken), chance=f"{chance:.1e}")
        st.html(f'<p class="am-small">{escape(other)}</p>')


def candidate_label(now: Growing, token: int) -> str:
    """How the token would be drawn behind the text; the last byte of a character with the character."""
    draft = now.draft
    first, *others = *draft.prompt.ids, *draft.written
    prompt = replace(draft.prompt, ids=(first,))
    last = draft.writer.tokens(prompt, (*others[-CONTEXT:], token)).pieces[-1]
    if last.part is not None and last.whole is not None and last.part[0] > 1:
        return f"{last.whole} {last.label}"
    return last.label


def show_numbers(now: Growing) -> None:
    """What the cache saved, and what has to be known about this text."""
    draft = now.draft
    numbers = {
        "count": f"{len(draft.written):,}",
        "rows": f"{draft.rows_computed:,}",
        "full": f"{draft.rows_without_cache:,}",
        "times": f"{draft.rows_without_cache / max(1, draft.rows_computed):.1f}",
    }
    if not draft.writer.cached:
        sentence = t("grow.no_cache", **numbers)
    elif not draft.written:
        sentence = t("grow.cache_before", **numbers)
    else:
        sentence = t("grow.cache", **numbers)
    st.html(f'<p class="am-small">{escape(sentence)}</p>')
    if grow.memory().get("lost"):
        st.html(f'<p class="am-small">{escape(t("grow.lost"))}</p>')
    if grow.memory().get("rested"):
        st.html(f'<p class="am-small">{escape(t("grow.rested", count=grow.PLAYED))}</p>')
