"""The computation for the session's settings: computed once, shared by all sessions that chose the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

import streamlit as st

from app import state
from models.build import Built, build_with_notes
from models.errors import InputError
from models.settings import Settings
from models.trace import Trace


@dataclass(frozen=True)
class Computed:
    """The trace of `settings`. `problem` is why these are not the chosen settings, or None if they are."""

    trace: Trace
    settings: Settings
    set_aside: tuple[str, ...] = ()
    problem: InputError | None = None


def current_trace() -> Trace:
    """The trace to be shown. While the chosen settings cannot be used it is the last one that could be computed."""
    return computed().trace


def computed() -> Computed:
    """As `current_trace`, with the settings that it belongs to and what stands against the chosen ones."""
    chosen, problem = state.settings(), None
    try:
        built = trace_of(chosen)
    except InputError as error:
        chosen, problem = state.last_valid(), error
        built = trace_of(chosen)
    else:
        state.remember_valid(chosen)
    return Computed(built.trace, chosen, built.set_aside, problem)


def trace_of(settings: Settings) -> Built:
    """The trace of any settings, from the cache if it is there. Raises InputError for settings that cannot be used."""
    return _built(digest(settings), settings)


def digest(settings: Settings) -> str:
    """Equal for equal settings. Streamlit's own hash would read large arrays by sample and miss an edited cell."""
    parts = [(f.name, getattr(settings, f.name)) for f in fields(settings) if f.name != "edits"]
    text = repr((parts, settings.edits.encode()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# The largest trace (256 tokens, 16 heads) is 25 MB: this many of them still fit into a small server.
@st.cache_resource(max_entries=32, show_spinner=False)
def _built(digest: str, _settings: Settings) -> Built:  # noqa: ARG001 - the digest is the key of the cache
    return build_with_notes(_settings)
