"""Where the numbers of the from-scratch pages come from: what may be said about them depends on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from models.edits import NAMES
from models.embedding import WORKED_VECTORS
from models.settings import PRESETS, Settings
from models.tokenizer import Token, normalize

Origin = Literal["drawn", "worked", "edited"]
# "random": drawn from the seed; "worked": the worked example; "yours": every matrix was entered; "mixed": the rest
Weights = Literal["random", "worked", "yours", "mixed"]


def vector_origins(settings: Settings, tokens: Iterable[Token]) -> list[Origin]:
    """For each token: whether its vector was drawn at random, is the worked example's, or was changed by the user."""
    edit = settings.edits.get("embedding")
    whole = edit is not None and edit.base in ("identity", "values")
    rows = {row for row, _, _ in edit.cells} if edit is not None else set()
    return [
        "edited" if whole or row in rows else "worked" if _worked(settings, token) else "drawn"
        for row, token in enumerate(tokens)
    ]


def weight_origin(settings: Settings, tokens: Iterable[Token]) -> Weights:
    """Where vectors and weight matrices of these settings come from, taken together."""
    vectors = set(vector_origins(settings, tokens))
    bases = {name: edit.base for name, edit in settings.edits.items() if edit.base != "reseed" or edit.cells}
    if vectors == {"drawn"} and not bases:
        return "random"
    if vectors == {"worked"} and settings.edits == PRESETS["fruit"].edits:
        return "worked"
    return "yours" if all(bases.get(name) == "values" for name in NAMES) else "mixed"


def _worked(settings: Settings, token: Token) -> bool:
    return settings.vectors == "worked" and settings.d_model == 3 and normalize(token.text) in WORKED_VECTORS
