"""Laboratory: what changes when the words are put into another order, or one word is replaced."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from app import choices, state
from app.i18n import t, words
from app.labs.frame import frame
from app.labs.order import order as numbers
from app.labs.order import words as order_words
from app.labs.order.order import Moved
from app.notice import error_notice
from app.second_sentence import suggest
from app.session import computed
from components.matrix import matrix, matrix_data
from components.token_bars import token_bars, token_bars_data
from components.token_order import token_order, token_order_data
from models import steps
from models.errors import InputError
from models.positioned import Scheme, attend, permuted
from models.settings import Settings
from models.tokenizer import tokenize
from models.trace import Trace

HEIGHT = 205
ROW = 178  # pixels of outputs before, after, and which is which


@dataclass(frozen=True)
class Looked:
    """`plain` is what happens without positions, `placed` with the chosen scheme; for a replaced word they are equal
    where no scheme is chosen."""

    settings: Settings
    trace: Trace
    scheme: Scheme
    order: tuple[int, ...]
    fits: bool
    plain: Moved
    placed: Moved

    @property
    def labels(self) -> tuple[str, ...]:
        return self.trace.labels("query")


def show() -> None:
    problem, now = None, None
    try:
        now = _looked()
    except InputError as error:
        problem = error
    name = state.lab("o_scheme")
    frame(
        "order",
        picture=lambda: _picture(now, problem),
        knobs=_knobs,
        words=lambda: _words(now),
        functions=(permuted, attend, steps.project, steps.softmax),
        step="output" if name in ("none", "sinusoidal") else None,
        carry={"position": name},
    )


def _looked() -> Looked:
    """Raises InputError for a word that is not one token."""
    now = computed()
    settings, trace = now.settings, now.trace
    count = len(trace.labels("query"))
    scheme = Scheme(state.lab("o_scheme"), seed=settings.seed)
    plain = replace(scheme, name="none")
    wanted = state.lab("o_order")
    found = numbers.read_order(wanted, count)
    order = found or numbers.shuffled(count, seed=1)
    if state.lab("o_task") == "shuffle":
        moved = [numbers.shuffle(settings, trace, s, order) for s in (plain, scheme)]
    else:
        place, word = token(count), word_or_suggested(trace)
        moved = [numbers.replace_word(settings, trace, s, place, word) for s in (plain, scheme)]
    return Looked(settings, trace, scheme, order, found is not None or not wanted, *moved)


def token(count: int) -> int:
    """The token that is replaced."""
    return int(min(state.lab("o_token"), count - 1))


def word_or_suggested(trace: Trace) -> str:
    """The word that takes its place: the user's, or one that makes a difference."""
    typed = str(state.lab("o_word"))
    if typed.strip():
        return typed
    assert trace.tokens is not None
    suggested = suggest(trace.tokens[token(len(trace.tokens))].text)
    return suggested if len(tokenize(suggested, limit=2)) == 1 else "apples"


# ---- the picture ---------------------------------------------------------------------------------------------------


def _picture(now: Looked | None, problem: InputError | None) -> None:
    choices.segments(
        t("lab.order.task"),
        ("shuffle", "replace"),
        lambda task: t(f"lab.order.task_{task}"),
        state.knob("o_task"),
        required=True,
        label_visibility="collapsed",
    )
    if problem is not None:
        error_notice(problem, "order")
    if now is None:
        return
    if state.lab("o_task") == "shuffle":
        token_order(
            token_order_data(now.labels, now.order, text=words("token_order")),
            key="am.order.tokens",
            on_order=_turn,
        )
        both = [("none", now.plain)] + ([(now.scheme.name, now.placed)] if now.scheme.name != "none" else [])
        for name, moved in both:
            _permuted(now, name, moved)
        _bars(now, [(label,) for label in now.labels], only_moved=True)
    else:
        place, word = token(len(now.labels)), word_or_suggested(now.trace)
        names = [(label, word) if i == place else (label,) for i, label in enumerate(now.labels)]
        _bars(now, names)
        _outputs(now)


def _turn(order: Sequence[int]) -> None:
    state.turn(o_order=numbers.write_order(order))


def _bars(now: Looked, names: Sequence[Sequence[str]], *, only_moved: bool = False) -> None:
    """How far every output moved, without positions and with them, on one scale. With `only_moved` a chart in which
    nothing moved is left out: the matrix above has said that."""
    both = [("plain", now.plain)] + ([("placed", now.placed)] if now.scheme.name != "none" else [])
    both = [(which, moved) for which, moved in both if moved.count or not only_moved]
    if not both:
        return
    most = max(float(moved.sizes.max()) for _, moved in both)
    for place, (which, moved) in zip(st.columns(len(both), gap="medium"), both, strict=True):
        with place:
            title = t(f"lab.order.moved_{which}", scheme=t(f"lab.order.scheme_{now.scheme.name}"))
            sizes = moved.sizes.numpy()
            st.caption(title if sizes.any() else t("lab.order.all_zero", title=title))
            token_bars(
                token_bars_data(sizes, names, label=title, height=84, most=most), key=f"am.order.bars_{which}"
            )


def _permuted(now: Looked, name: str, moved: Moved) -> None:
    """The outputs before and after, each in the order of its own sentence, and which of them are the same vectors."""
    scheme = t(f"lab.order.scheme_{name}") if name != "none" else t("lab.order.without")
    limit = max(float(moved.before.abs().max()), float(moved.after.abs().max()))
    shuffled = [now.labels[i] for i in now.order]
    same = numbers.same_vectors(moved, now.order)
    found = int(same.any(-1).sum())
    left, middle, right = st.columns(3, gap="small")
    for place, which, values, labels in (
        (left, "before", moved.before, list(now.labels)),
        (middle, "after", permuted(moved.after, now.order), shuffled),
    ):
        with place:
            title = t(f"lab.order.outputs_{which}", scheme=scheme)
            key = f"am.order.{name}_{which}"
            text = words("matrix", label=title)
            matrix(
                matrix_data(
                    values.numpy(),
                    labels,
                    None,
                    title=title,
                    text=text,
                    limit=limit,
                    hue="x",
                    height=ROW,
                    clickable=False,
                ),
                key=key,
            )
    with right:
        title = t("lab.order.same", scheme=scheme)
        matrix(
            matrix_data(
                same.numpy(),
                shuffled,
                now.labels,
                title=title,
                text=words("matrix", label=t("lab.order.same_label", scheme=scheme)),
                scale="weights",
                hue="w",
                height=ROW,
                clickable=False,
            ),
            key=f"am.order.{name}_same",
        )
        st.caption(
            t("lab.order.same_found" if found else "lab.order.same_none", count=found, total=len(now.labels))
        )


def _outputs(now: Looked) -> None:
    """The outputs themselves, before and after a word was replaced."""
    limit = max(float(now.placed.before.abs().max()), float(now.placed.after.abs().max()))
    for place, which, values in zip(
        st.columns(2, gap="medium"), ("before", "after"), (now.placed.before, now.placed.after), strict=True
    ):
        title = t(f"lab.order.outputs_{which}", scheme=t(f"lab.order.scheme_{now.scheme.name}"))
        with place:
            matrix(
                matrix_data(
                    values.numpy(),
                    [_row_name(now, i) for i in range(len(now.labels))]
                    if which == "after"
                    else list(now.labels),
                    None,
                    title=title,
                    text=words("matrix", label=title),
                    limit=limit,
                    hue="x",
                    height=HEIGHT,
                    clickable=False,
                ),
                key=f"am.order.outputs_{which}",
            )


def _row_name(now: Looked, index: int) -> str:
    replaced = index == token(len(now.labels))
    return word_or_suggested(now.trace) if replaced else now.labels[index]


# ---- knobs and words -----------------------------------------------------------------------------------------------


def _knobs() -> None:
    choices.select(
        t("lab.order.scheme"),
        numbers.SCHEMES,
        lambda name: t(f"lab.order.scheme_{name}"),
        state.knob("o_scheme"),
    )
    labels = computed().trace.labels("query")
    if state.lab("o_task") == "shuffle":
        count = len(labels)
        for place, name, order in zip(
            st.columns(3, gap="small"),
            ("shuffle", "reverse", "restore"),
            (None, range(count)[::-1], range(count)),
            strict=True,
        ):
            place.button(
                t(f"lab.order.{name}"),
                key=f"am.order.{name}",
                width="stretch",
                on_click=_turn if order is not None else _shuffle,
                args=(order or (),) if order is not None else (count,),
            )
        return
    options = list(range(len(labels)))
    if state.lab("o_token") not in options:
        state.turn(o_token=len(labels) - 1)
    choices.select(
        t("lab.order.token"),
        options,
        lambda i: f"{i} · {labels[i]}",
        state.knob("o_token"),
    )
    st.text_input(
        t("lab.order.word"),
        max_chars=40,
        placeholder=word_or_suggested(computed().trace),
        help=t("lab.order.word_help"),
        **state.bind_knob("o_word"),
    )


def _shuffle(count: int) -> None:
    _turn(numbers.shuffled(count, seed=random.randrange(2**31)))


def _words(now: Looked | None) -> None:
    if now is None:
        return
    if not now.fits and state.lab("o_task") == "shuffle":
        st.caption(t("lab.order.not_fitting", count=len(now.order)))
    causal = now.settings.mask == "causal"
    names = {"scheme": t(f"lab.order.scheme_{now.scheme.name}"), "named": now.scheme.name}
    if state.lab("o_task") == "shuffle":
        st.text(
            order_words.about_shuffle(now.order, now.labels, now.plain, now.placed, causal=causal, **names)
        )
    else:
        place = token(len(now.labels))
        change = (now.labels[place], word_or_suggested(now.trace))
        hidden = now.trace.padded is not None and bool(now.trace.padded[place])
        st.text(order_words.about_word(place, change, now.labels, now.placed, hidden=hidden))
