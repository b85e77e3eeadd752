"""Widgets of choice, the only place that draws them: a list, a row of segments, pills, several of a list, a scale.

Streamlit sends the *label* of what was chosen back, and finds the option by it. A browser that still shows labels from
before (another language, another text) would send what is no option now, and two options that read the same would be
one. So the widget's key holds a digest of its labels (other labels are another widget), equal labels are told apart,
and what arrives is looked up among the options before anybody hears of it.

    segments(t("cause.what"), WHATS, name_of, state.knob("x_what"), required=True)
    select(t("trained.layer"), range(6), "L{}".format, state.field("model_layer"))
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import streamlit as st

from app import state
from app.state import Bound

T = TypeVar("T")
Say = Callable[[T], str]


def select(label: str, options: Iterable[T], say: Say[T], bound: Bound, **layout: Any) -> None:
    """One of a list."""
    found = list(options)
    names = labels(found, say)
    st.selectbox(label, found, format_func=_namer(names), **layout, **_keyed(names, bound))


def segments(label: str, options: Iterable[T], say: Say[T], bound: Bound, **layout: Any) -> None:
    """One of a few, all to be seen."""
    found = list(options)
    names = labels(found, say)
    st.segmented_control(label, found, format_func=_namer(names), **layout, **_keyed(names, bound))


def scale(label: str, options: Iterable[T], say: Say[T], bound: Bound, **layout: Any) -> None:
    """One of a row of sizes."""
    found = list(options)
    names = labels(found, say)
    st.select_slider(label, found, format_func=_namer(names), **layout, **_keyed(names, bound))


def pills(label: str, options: Iterable[T], say: Say[T], bound: Bound, **layout: Any) -> T | None:
    """One of a few, or none; returns what is chosen. Labels are read as Markdown: no token text in them."""
    found = list(options)
    names = labels(found, say)
    chosen = st.pills(label, found, format_func=_namer(names), **layout, **_keyed(names, bound))
    return chosen if chosen in names else None


def several(label: str, options: Iterable[T], say: Say[T], bound: Bound, **layout: Any) -> None:
    """Any number of a list; the value of `bound` and what it takes are tuples of options."""
    found = list(options)
    names = labels(found, say)
    key = _key(bound, names)
    state.show_value(key, [option for option in dict.fromkeys(bound.value or ()) if option in names])
    st.multiselect(
        label, found, format_func=_namer(names), **layout,
        key=key, on_change=_several_arrived, args=(key, tuple(found), bound.take),
    )  # fmt: skip


def labels(options: Sequence[T], say: Say[T]) -> dict[T, str]:
    """The label of every option; where several would read the same, each says which it is."""
    said = [say(option) for option in options]
    count = Counter(said)
    return {
        option: text if count[text] == 1 else f"{text} ({option})"
        for option, text in zip(options, said, strict=True)
    }


def _namer(names: dict[T, str]) -> Say[Any]:
    return lambda option: names.get(option, str(option))


def _key(bound: Bound, names: dict[T, str]) -> str:
    text = "\0".join(names.values()).encode("utf-8", "surrogatepass")
    return f"{bound.key}.{hashlib.sha256(text).hexdigest()[:10]}"


def _keyed(names: dict[T, str], bound: Bound) -> dict[str, Any]:
    key = _key(bound, names)
    state.show_value(key, bound.value if bound.value in names else None)
    return {"key": key, "on_change": _arrived, "args": (key, tuple(names), bound.take)}


def _arrived(key: str, options: Sequence[T], take: Callable[[T | None], None]) -> None:
    """A choice was made, or with None taken back. What was not among the options changes nothing."""
    state.take_arrived(key, lambda value: take(value) if value is None or value in options else None)


def _several_arrived(key: str, options: Sequence[T], take: Callable[[tuple[T, ...]], None]) -> None:
    state.take_arrived(
        key, lambda values: take(tuple(option for option in values or () if option in options))
    )
