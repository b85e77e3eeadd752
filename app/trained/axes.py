"""The tokens of a stack's queries and keys, as the session wants to see them."""

from __future__ import annotations

from app import state
from app.trained.opening import Opened
from app.trained.shown import SIDES, Axis, axis
from app.trained.stack import Stack, labels_of
from models.pretrained.labels import ModelTokens


def axes_of(now: Opened, stack: Stack) -> tuple[Axis, Axis]:
    """Rows (queries) and columns (keys) that are shown."""
    view = state.model_view()
    queries, keys = sides(now, stack)
    query_labels, key_labels = labels_of(stack.call)
    from_part, to_part = SIDES[view.part] if has_pair(now, stack) else (None, None)
    return axis(queries, query_labels, view, from_part), axis(keys, key_labels, view, to_part)


def sides(now: Opened, stack: Stack) -> tuple[ModelTokens | None, ModelTokens | None]:
    """The tokens behind queries and keys; None for images and sound."""
    stream, kind = stack.name
    queries = now.trace.tokens.get(stream)
    keys = now.trace.tokens.get("encoder") if kind == "cross" else queries
    return queries, keys


def has_pair(now: Opened, stack: Stack) -> bool:
    """Whether there are two sentences to tell apart."""
    queries, _ = sides(now, stack)
    return stack.name[1] == "self" and queries is not None and 1 in queries.pair_of
