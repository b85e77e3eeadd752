"""The same change in every head of the stack, on demand: asked for, run within bounds, kept."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from app import state
from app.i18n import t
from app.trained.cause.cause import Seen
from app.trained.cause.scan_found import attention, show_found, summary
from app.trained.headline import open_link
from app.trained.kept import Kept
from models.interventions.scan import Question, Scan, begin, go_on

SECONDS = 45.0  # of one go: then what is there is shown, and the reader may go on
SCANS_KEPT = 24
QUICK = 8_000  # heads × tokens that are scanned without being asked again: a few seconds


def show_scan(seen: Seen) -> None:
    """A button, and what it found."""
    calls = seen.stack.calls
    heads = sum(call.heads for call in calls)
    if not _wanted(seen):
        with st.container(horizontal=True, vertical_alignment="center", key="cause_scan_offer"):
            st.button(
                t("cause.scan.button", heads=heads),
                key="am.cause_scan",
                icon=":material/grid_on:",
                on_click=_want,
                args=(_name_of(seen),),
            )
            st.html(f'<p class="am-small">{t(f"cause.scan.offer.{seen.what}")}</p>')
            open_link("model_head", t("trained.open_head"), ":material/zoom_in:")
        return
    found, weights = _scanned(seen), attention(seen)
    heading = t(f"cause.scan.title.{seen.what}")
    st.html(f'<h2>{heading}</h2><p class="am-small">{summary(seen, found, weights)}</p>')
    if not found.complete:
        with st.container(horizontal=True, vertical_alignment="center", key="cause_scan_part"):
            st.html(f'<p class="am-small">{t("cause.scan.part", done=found.measured, heads=found.heads)}</p>')
            st.button(
                t("cause.scan.more"), key="am.cause_more", on_click=_ask_for_more, args=(_name_of(seen),)
            )
    show_found(seen, found, weights)


def _want(name: Hashable) -> None:
    state.turn(x_scan=True)
    state.scratch("cause").setdefault("wanted", set()).add(name)


def _wanted(seen: Seen) -> bool:
    """A scan that was asked for; of another edge too if that is quick, but a link starts no long one by itself."""
    if not state.lab("x_scan"):
        return False
    size = sum(call.heads * call.queries for call in seen.stack.calls)
    return size <= QUICK or _name_of(seen) in state.scratch("cause").get("wanted", set())


def question_of(seen: Seen) -> Question:
    """What is asked of every head."""
    edge = (seen.stack.i, seen.stack.j)
    return Question(seen.what, seen.position, seen.token, *edge, seen.besides)


def _ask_for_more(name: Hashable) -> None:
    goes = state.scratch("cause").setdefault("goes", {})
    goes[name] = goes.get(name, 0) + 1


def _scanned(seen: Seen) -> Scan:
    """The scan that was kept, or a new one; and as much more of it as was asked for."""
    asked, name = question_of(seen), _name_of(seen)
    found = _kept().get((name, 0), lambda: _run(seen, begin(seen.stack.calls), asked))
    for go in range(1, state.scratch("cause").get("goes", {}).get(name, 0) + 1):
        before = found
        found = before if before.complete else _kept().get((name, go), lambda: _run(seen, before, asked))  # noqa: B023
    return found


def _name_of(seen: Seen) -> Hashable:
    """Names a scan in caches: whatever changes its numbers."""
    asked = question_of(seen)
    edge = (asked.query, asked.key) if asked.what == "edge" else ()
    return (seen.now.key, seen.stack.name, asked.what, asked.position, asked.token, asked.besides, *edge)


def _run(seen: Seen, scan: Scan, asked: Question) -> Scan:
    place = st.empty()
    text = t("cause.scan.running")
    bar = place.progress(scan.measured / scan.heads, text)
    found = go_on(
        scan,
        seen.subject,
        seen.stack.calls,
        asked,
        seconds=SECONDS,
        report=lambda share: bar.progress(share, text),
    )
    place.empty()
    return found


@st.cache_resource(show_spinner=False)
def _kept() -> Kept[Scan]:
    return Kept(SCANS_KEPT)
